"""The words with which a text says that it has no answer, or that something is missing."""

from __future__ import annotations

import re

_SOURCE = (
    r"(?:passages?|contexts?|documents?|sources?|texts?|triples?|evidence|information|answers?|excerpts?|articles?"
    r"|materials?|paragraphs?|snippets?|graph|paths?|entries|records|sub-?questions?)"
)
_VERB = (
    r"(?:holds?|contains?|says?|mentions?|states?|provides?|includes?|specif(?:y|ies)|gives?|answers?"
    r"|names?|suffices?|tells?|reveals?|indicates?|identif(?:y|ies)|lists?|shows?|discloses?|reports?"
    r"|records?|notes?|covers?|address(?:es)?|supports?|offers?|clarif(?:y|ies)|describes?|discuss(?:es)?"
    r"|explains?|establish(?:es)?|confirms?|allows?|helps?|ha(?:ve|s)|suppl(?:y|ies)|refers?|speaks?|makes?"
    r"|permits?|enables?|lets?|settles?|details?|determines?|appears?|fits?)"
)
_GAP = (
    r"(?:(?!\b(?:he|she|they|it|says?|said|stat(?:e|es|ed)|shows?|mentions?|tells?)\b)[^.;:,]|, \w+,){0,80}"
)
"""Between a source and what it does not say: nothing that says something itself."""
_NOT = r"(?:do|does|did)(?:n't| not)(?: \w+ly| even| anywhere| themselves)*"
_HOW = r"(?:explicitly |directly |clearly |actually |specifically |even |anywhere )?"
_TOLD = (
    r"(?:stated|mentioned|specified|provided|given|named|found|known|available|included|recorded|listed|contained"
    r"|indicated|identified|disclosed|covered|answered|said|there)"
)
_ANSWERED = (
    r"(?:answered|determined|established|told|decided|inferred|concluded|deduced|settled|compared|derived|ascertained"
    r"|worked out)"
)
_ANSWER = r"(?:answer|say|tell|determine|decide|establish|conclude|infer|deduce|compare|judge|settle|work out|find out)"
_INFORMATION = (
    r"(?:information|mention|indication|details?|data|statement|hints?|clues?|records?|answer|evidence)"
)
_CANNOT = r"(?:cannot|can't|can not|could not|couldn't)(?: (?:therefore|thus|also|\w+ly))?"
_ELSE = r"(?! (?:where|when|who|why|how|what)\b)"
"""Of something else it may be said that it cannot be told."""
_FACT = (
    r"(?:dates?|places?|years?|names?|births?|deaths?|birth\w+|information|nationalit(?:y|ies)|countr(?:y"
    r"|ies)|facts?|details?|evidence|links?|steps?|mother|father|parents?|grand\w+|answers?|passages?"
    r"|articles?|documents?|who|when|where|which|what|whose|how)"
)

_OUTRIGHT = [
    # English
    rf"\b{_CANNOT} be {_ANSWERED}\b{_ELSE}",
    rf"\b(?:I|we|one) {_CANNOT} {_ANSWER}\b{_ELSE}",
    rf"\b(?:I|we) (?:do not|don't|did not|didn't) (?:\w+ly )?know\b{_ELSE}",
    rf"\b(?:I|we) (?:do not|don't) have (?:enough|any|the|this|that|sufficient)\b[^.;:]{{0,20}}\b{_INFORMATION}\b",
    rf"(?:\b(?:unable|not able|not possible|impossible|no way)|n't possible) to (?:{_ANSWER}|know)\b{_ELSE}",
    r"\b(?:not enough|insufficient|too little|not sufficient) (?:information|evidence|context|data|details?"
    r"|facts?)\b",
    rf"\b(?:not enough|insufficient|not sufficient) to {_ANSWER}\b",
    rf"\b{_SOURCE}\b{_GAP}\b{_NOT} (?:suffice|answer)\b",
    rf"\b{_SOURCE}\b{_GAP}\b{_NOT} (?:hold|contain|give|provide|have|include|offer)"
    r" (?:the|an|any|enough|sufficient|this|that)\b[^.;:]{0,20}\b(?:answer|information)\b(?! (?:about|on|of"
    r"|where|when))",
    rf"\b{_SOURCE}\b{_GAP}\black(?:s|ed)? (?:this|that|the|enough|sufficient)(?: \w+)? information\b",
    r"\bnothing to answer from\b|\bunanswerable\b|\bno answer (?:is|was|can|could|in|to)\b",
    r"\b(?:unclear|unknown|not clear|uncertain) (?:which|whether)\b|\bquestion (?:remains|is|stays) (?:open"
    r"|unanswered)\b",
    # German
    r"\bich (?:weiß|kann) (?:es |das |die Frage |diese Frage )?(?:leider )?nicht\b",
    r"\bnicht (?:\w+ )?(?:beantwort|bestimm|feststell|ermittel|entscheid|beurteil)\w*(?: werden)?\b",
    r"\b(?:läßt|lässt|lassen) sich\b[^.;:]{0,80}\bnicht\b|\bnicht genug(?:end)? (?:Informationen?|Angaben)\b",
    r"\breich(?:t|en)\b[^.;:,]{0,60}\bnicht\b(?: aus\b)?",
    # Korean
    r"(?:답|대답|답변|판단|결정|비교|특정)(?:을)?\s*(?:할|알)\s*수(?:가|는)?\s*없|(?:정?답|답변)(?:이|은"
    r"|을)?\s*(?:없|찾을 수 없)",
    r"(?:정보|근거|자료|내용)(?:가|이|는|은)?\s*(?:충분하지 않|부족)|(?<!지도 )(?:모르겠|모릅니다)",
    # Japanese
    r"(?:答え|回答|判断|特定|比較)(?:られ|でき|することはでき|することができ|ることはでき"
    r"|ることができ)(?:ません|ない)",
    r"(?:答え|回答)(?:が|は|も)?(?:あり|見つかり|含まれてい)ません|[分わ]かりません|[分わ]からない"
    r"|情報が(?:足り|不足|不十分)",
    # Chinese
    r"不知道|(?:无法|無法|无从|無從|不能)[^。，]{0,12}(?:回答|确定|確定|判断|判斷|得知|知道|得出|比较|比較)"
    r"|不足以|信息不足|資訊不足|(?:没有|沒有|未找到|找不到)(?:相关)?答案",
]
_MISSING = [
    # English
    r"^\W*(?:unknown|unclear|n/?a|no idea|no answer|no information|not (?:known|available|clear|found))\W*$",
    rf"\b{_SOURCE}\b{_GAP}\b{_NOT} {_VERB}\b",
    r"\bthey (?:do|does)(?:n't| not)(?: \w+ly)? (?:say|mention|state|specify|name|tell|contain|indicate|provide)\b",
    rf"\b{_SOURCE}\b{_GAP}\b(?:lack(?:s|ed)?|lacking|omits?|fails? to|is silent|are silent|leaves? (?:it |this )?open"
    r"|(?:says?|holds?|contains?|gives?|mentions?|provides?|offers?|has|have|reveals?|makes?|includes?|states?)"
    r" (?:no|nothing|neither|none|too little|insufficient)|(?:is|are) (?:insufficient|inconclusive|unrelated))\b",
    rf"\b(?:none|neither|nothing|nowhere) (?:of|in|from|among)\b[^.;:]{{0,25}}\b{_SOURCE}\b",
    rf"\b(?:neither|no)(?: \w+){{0,2}} {_SOURCE}\b[^.;:]{{0,60}}\b{_VERB}\b",
    rf"\bneither\b[^.;:]{{0,40}}\b{_SOURCE}\b[^.;:]{{0,60}}\b{_VERB}\b",
    r"\bno (?:\w+ )?(?:passages?|paths?|documents?|sources?|triples?|results?|facts?|evidence"
    r"|sentences?)(?: \w+){0,3}"
    r" (?:was|were|is|are|has been|have been|could be|can be) (?:found|retrieved|available|given)\b",
    rf"\b(?:there (?:is|are|was|were)|there's) (?:no|not any|nothing|insufficient|not enough)\b[^.;:]{{0,20}}"
    rf"\b(?:{_INFORMATION}|{_SOURCE})\b",
    rf"\bno (?:\w+ )?{_INFORMATION} (?:is|are|was|were|can be|could be|has been|about|on|regarding|as to|in|given"
    r"|available|found|provided|here)\b",
    r"\bnothing (?:was found|is known|is said|is stated|is mentioned)\b",
    rf"(?:\bnot|n't) {_HOW}{_TOLD}(?: anywhere)? (?:in|by|among|within|from) (?:any of |either of )?"
    rf"(?:the |these |those |any |my |either )?(?:\w+ )?{_SOURCE}\b",
    rf"\b(?:is|are|was|were)(?:n't| not) {_HOW}(?:mentioned|stated|given|provided|specified) (?:in|here|there)\b",
    rf"(?:\bnot|n't) {_HOW}(?:stated|mentioned|specified|disclosed|indicated)(?: here| there"
    rf"| anywhere)?\s*(?:$|[.,;)])",
    rf"\bnot in (?:any of )?(?:the |these |my )?(?:\w+ )?{_SOURCE}\b"
    rf"|{_NOT} appear (?:anywhere )?in (?:any of )?(?:the |these )?{_SOURCE}\b",
    rf"\bno (?:\w+ )?{_FACT} (?:is|are|was|were) (?:given|stated|mentioned|named|provided|known)\b",
    rf"\b(?:is|are)(?:n't| not) {_HOW}(?:known|available|clear|certain|given|provided|said)(?: here"
    rf"| there)?\s*(?:$|[.,;)])",
    r"\b(?:is|are|remains?) (?:still |both )?(?:unknown|unclear|uncertain|undetermined|unspecified|unstated"
    r"|unanswered|not known|not clear|not certain)\b(?! (?:to|for|as)\b)",
    rf"^\W*missing(?: is| are|:)"
    rf"|\b{_FACT}\b[^.;:]{{0,80}}(?<!went )(?<!go )(?<!goes )(?<!reported )(?<!been )\bmissing\b"
    r"\s*(?:$|[.,;:)]|(?:in|from|is|are|here|there|and|to|which|so)\b)",
    rf"\b{_CANNOT} be (?:\w+ly )?(?:{_ANSWERED}|found|said|known|identified|confirmed|verified|given|named|seen)\b",
    rf"\b(?:I|we|one) {_CANNOT} (?:{_ANSWER}|find|identify|confirm|give|name|provide|see|know)\b",
    r"\b(?:I|we) (?:do not|don't) (?:know|see|find|learn)\b|\b(?:I|we) (?:found|find|see|have) no\b",
    rf"\b(?:unable|not able|not possible|impossible|no way) to (?:{_ANSWER}|know|find|identify|confirm|name|give)\b",
    rf"\b{_SOURCE}\b[^.;:]{{0,160}}(?:\b(?:but|though) (?:not (?:where|when|who|whose|which|whether|what|how"
    rf"|why|the|his|her|their|its)|nothing (?:on|about|of)|(?:{_VERB} )?(?:no|neither) (?:\w+ )?{_FACT})\b"
    r"|, not (?:where|when|who|whose|which|what|how)\b)",
    r"\bnot (?:stated|mentioned|specified|given|said|known|clear) (?:which|whether|when|who|whose|where|what|how)\b",
    rf"\b(?:need|needs|needed)\b[^.;:]{{0,60}}\bto (?:be able to )?{_ANSWER}\b",
    r"^\W*(?:but|though|and) (?:they (?:do|does) not|not (?:where|when|who|whose|which|whether|what|how|why"
    r"|the|his|her|their|its)\b)",
    r"^\W*(?:not|nowhere) (?:explicitly |directly )?(?:stated|mentioned|given|named|specified|found|available)\b"
    r"(?! (?:to|for)\b)|^\W*(?:I'm |I am )?sorry\b",
    # German
    r"\b(?:Passagen?|Abschnitt(?:e|en)?|Text(?:e|en)?|Dokument(?:e|en)?|Quellen?|Auszüge|Auszügen|Kontext"
    r"|Textstellen?|Unterlagen|Belege|Antworten|Artikel|Informationen)\b[^.;:,]{0,60}\b(?:nenn|sag|erwähn"
    r"|enth[aä]lt|g[ei]b|verr[aä]t|beantwort|mach|liefer|beleg|zeig|bericht|hab|ha(?:t"
    r"|ben))\w*\b[^.;:,]{0,60}\b(?:nicht|nichts|keine?[nmrs]?)\b",
    r"\b(?:wird|werden|ist|sind|wurde|wurden|steht|stehen|bleibt|geht"
    r"|gehen)\b[^.;:]{0,100}\bnicht (?:\w+ )?(?:genannt"
    r"|erwähnt|angegeben|aufgeführt|enthalten|bekannt|ersichtlich|hervor|vermerkt|beschrieben|zu entnehmen|zu finden"
    r"|belegt|dokumentiert|mitgeteilt|in den|im)\b",
    r"\b(?:keine|keinerlei) (?:\w+ )?(?:Angaben?|Informationen?|Hinweise?|Antwort|Auskunft|Erwähnung|Belege?"
    r"|Aussagen?)\b",
    r"\bfehl(?:t|en)\b|\b(?:steht|stehen|findet sich|finden sich) (?:\w+ )?nichts\b|\bnicht aber,? w"
    r"|\baber nicht,? w|\bweder\b[^.;:]{0,60}\bnoch\b[^.;:]{0,60}\b(?:sag|nenn|erwähn|enth[aä]lt|steht|stehen)\w*",
    r"\b(?:ist|sind|bleibt|bleiben)\b[^.;:]{0,40}\b(?:unbekannt|unklar|ungewiss|offen)\b|^\W*(?:unbekannt"
    r"|unklar)\W*$",
    # Korean
    r"(?:정보|언급|기록|설명|근거|단서|기재|명시|서술|내용|자료)(?:이|가|은|는|도|를|을)?\s*(?:전혀\s*)?(?:없"
    r"|찾을 수 없|찾지 못)",
    r"(?:언급|명시|기재|기록|제시|서술|기술|수록|확인|설명)(?:이|가|은|는|도)?\s*(?:(?:되어|돼|되"
    r"|하)\s*)?(?:고\s*)?(?:있지|지)(?:는|도)?\s*(?:않|못)",
    r"(?:나와|나타나|적혀|쓰여|밝혀져|실려|드러나|담겨|들어)\s*있지\s*(?:(?:는|도)\s*)?않|불분명|알려져 있지 않"
    r"|알려지지 않",
    r"(?:알|찾을|답할|대답할|답변할|확인할|판단할|결정할|특정할|파악할|비교할|말할)\s*수(?:가|는|도)?\s*없"
    r"|찾지 못|(?<!지도 )(?:모르겠|모릅니다|모른다)",
    r"(?:문서|지문|본문|글|자료|구절|문단|단락|텍스트|문맥|출처|제시문|정보|답변)[^.]{0,60}(?:나오|밝히"
    r"|알리|말하|다루|드러나|포함하|포함되어 있|제공하|제공되|담고 있|담겨 있)지\s*(?:(?:는|도)\s*)?(?:않|못)"
    r"|(?:문서|지문|본문|자료|구절|출처|제시문)에(?:는|도)?[^.]{0,40}\s없(?:습니다|다|음)|누락",
    # Japanese
    r"(?:情報|記載|記述|言及|答え|回答|説明|手がかり|記録|根拠)(?:が|は|も|について)?(?:一切|特に|何も)?"
    r"(?:[あ有]りません|ございません|[なあ]い|なし|無い|見つかりません|見当たりません|含まれてい(?:ません|ない))",
    r"(?:記載|言及|記述|明記|説明|記録|提供|掲載)(?:さ?れ|し)?て(?:は)?(?:お(?:りません|らず)|い(?:ません|ない))",
    r"(?:示|述べら|書か|触れら|含ま|知ら)(?:され)?れ?て(?:は)?(?:おりません|おらず|い(?:ません|ない))"
    r"|触れて(?:は)?い(?:ません|ない)",
    r"[分わ]かりません|[分わ]からない|分からず|わからず|不明(?!瞭)|見つかりません|見つけられません"
    r"|確認できません|確認できない|読み取れ(?:ません|ない)",
    r"(?:答え|回答|判断|特定)(?:られ|でき|することはでき|することができ)(?:ません|ない)|(?:文書|文章|本文|資料"
    r"|抜粋)[^。]{0,40}(?:ありません|ない)(?:。|$)",
    # Chinese
    r"(?:没有|沒有|并未|並未|未曾|未)(?:明确|明確|直接|具体|具體|任何)?(?:地)?(?:提到|提及|说明|說明|给出"
    r"|給出|指出|记载|記載|列出|写明|寫明|交代|透露|涉及|回答|找到|注明|註明|描述)",
    r"(?:没有|沒有|无|無|缺少|缺乏)(?:任何|足够的?|足夠的?|相关的?|相關的?|关于[^。]{0,30}的"
    r"|有關[^。]{0,30}的)?(?:信息|资讯|資訊|资料|資料|答案|线索|線索|记录|記錄)",
    r"(?:文中|文本|段落|文章|资料|資料|文件|文档|來源|来源|上下文|材料|原文)[^。]{0,40}(?:没有|沒有|未|并未"
    r"|並未)(?:提供|包含|显示|顯示|说|說|写|寫|告诉|告訴)",
    r"答案不在|(?:无法|無法|无从|無從)[^。，]{0,12}(?:回答|确定|確定|判断|判斷|得知|知道|找到|确认|確認|得出"
    r"|查到)|不知道|不清楚|不详|不詳|(?:尚|仍|是)?未知(?:。|$)|缺失",
]

HINTS = re.compile(
    r"\b(?:no|n/?a\b|ne[ei]|un|can'?t|cannot|could|in[acs]|im|lack|miss|omit|fail|is silent|are silent|leave|sorry"
    r"|too|ni|kein|fehl|weder|reich|offen|open)|n't|[^\W\d_a-zà-ÿ]",
    re.IGNORECASE,
)
"""Something that each of the expressions below begins or goes on with: without it, none has to be tried."""
OUTRIGHT = re.compile("|".join(_OUTRIGHT), re.IGNORECASE)
"""That the question itself stays open."""
MISSING = re.compile("|".join(_MISSING), re.IGNORECASE)
"""That something is missing: the answer, or something else."""
