"""SmartArt in Word and PowerPoint."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import Any

from tests.unit.corpora.test_loaders import archive, read
from tests.unit.corpora.test_more_loaders import blocks, slides, workbook

DIAGRAM = (
    '<dgm:dataModel xmlns:dgm="dgm" xmlns:a="a"><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
    + "".join(
        f'<dgm:pt modelId="{key}"{kind}><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for key, kind, text in (
            (3, "", "Seal the crate"),
            (1, "", "Collect the samples"),
            (2, ' type="node"', "from each lock"),
            (4, ' type="pres"', "LOOKS"),
            (5, "", "Left over"),
        )
    )
    + '</dgm:ptLst><dgm:cxnLst><dgm:cxn srcId="0" destId="3" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/>'
    '<dgm:cxn srcId="1" destId="2" srcOrd="0"/><dgm:cxn type="presOf" srcId="1" destId="4" srcOrd="0"/></dgm:cxnLst>'
    "</dgm:dataModel>"
).encode()
STEPS = "Collect the samples\n  from each lock\nSeal the crate\nLeft over"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def repacked(data: bytes, **changes: Any) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as whole, zipfile.ZipFile(file, "w") as changed:
        for name in whole.namelist():
            old, new = changes.get(name, (b"", b""))
            changed.writestr(name, whole.read(name).replace(old, new) if old else whole.read(name))
        for name in changes.keys() - set(whole.namelist()):
            changed.writestr(name, changes[name])
    return file.getvalue()


def test_smart_art_is_read() -> None:
    frame = (
        '<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="99" name="D"/><p:cNvGraphicFramePr/><p:nvPr/>'
        '</p:nvGraphicFramePr><p:xfrm/><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/'
        f'diagram"><d:relIds xmlns:d="d" xmlns:r="{RELATION}" r:dm="KEY"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    target = 'Target="../diagrams/data1.xml"'
    relation = f'<Relationship Id="rId98" Type="{RELATION}/diagramData" {target}/></Relationships>'
    kind = (
        '<Override PartName="/ppt/diagrams/data1.xml" ContentType="application/vnd.openxmlformats-officedocument.'
        'drawingml.diagramData+xml"/></Types>'
    )
    for key, found in (("rId98", [STEPS]), ("rId97", [])):
        data = repacked(
            slides(),
            **{
                "ppt/slides/slide1.xml": (
                    b"</p:spTree>",
                    frame.replace("KEY", key).encode() + b"</p:spTree>",
                ),
                "ppt/slides/_rels/slide1.xml.rels": (b"</Relationships>", relation.encode()),
                "[Content_Types].xml": (b"</Types>", kind.encode()),
                "ppt/diagrams/data1.xml": DIAGRAM,
            },
        )
        whole = blocks("ducks.pptx", data)
        assert whole[2 : 2 + len(found)] == found
        assert [text for text in whole if text not in found] == blocks("ducks.pptx", slides())
    drawing = f'<w:p><w:drawing><d:relIds xmlns:d="d" xmlns:r="{RELATION}" r:dm="rId8"/></w:drawing></w:p>'
    relation = f'<Relationship Id="rId8" Type="{RELATION}/diagramData" Target="diagrams/d.xml"/>'
    parts = {
        "word/document.xml": f'<w:document xmlns:w="w"><w:body>{drawing}</w:body></w:document>'.encode(),
        "word/_rels/document.xml.rels": f"<Relationships>{relation}</Relationships>".encode(),
        "word/diagrams/d.xml": DIAGRAM,
    }
    assert read("w.docx", archive(**parts)).text == STEPS
    sheet = repacked(workbook(("Plan", [["one"]])), **{"xl/diagrams/data1.xml": DIAGRAM})
    assert read("w.xlsx", sheet).text == f"Plan\n\none\n\n{STEPS}"
