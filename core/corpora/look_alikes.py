"""Letters that look like others, and characters that cannot be seen: when a reader cannot tell two names apart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

_LOOK = """
AΑАᎪᗅꓮ𐊠𖽀 BΒВᏴᗷꓐꞴ𐊂𐊡𐌁 CСᏟⲤꓚ𐊢𐌂𐐕𐔜 DᎠᗞᗪꓓ EΕЕᎬⴹꓰ𐊆𑢦𑢮 FϜᖴꓝꞘ𐊇𐊥𐔥𑢢𑣂 GԌᏀᏳꓖ HΗНᎻᕼⲎꓧ𐋏 IΙІӀᛁⲒⵏꓲ𐊊𐌉𖼨 JͿЈᎫᒍꓙꞲ KΚКᏦᛕⲔꓗ𐔘
LᏞᒪⳐꓡ𐐛𐔦𑢣𑢲𖼖 MΜϺМᎷᗰᛖⲘꓟ𐊰𐌑 NΝⲚꓠ𐔓 OΟОՕଠዐⲞⵔꓳ𐊒𐊫𐐄𐓂𐔖𑢵 PΡРᏢᑭⲢꓑ𐊕 Qⵕ RƦᎡᏒᖇꓣ𐒴𖼵 SЅՏᏕᏚꓢ𐊖𐐠𖼺 TΤТᎢⲦꓔ𐊗𐊱𐌕𑢼𖼊 UՍሀᑌꓴ𐓎𑢸𖽂
VѴᏙᐯⴸꓦꛟ𐔝𑢠𖼈 WԜᎳᏔꓪ XΧХᚷⲬⵝꓫꞳ𐊐𐊴𐌗𐔧 YΥУҮᎩᎽⲨꓬ𐊲𑢤𖽃 ZΖᏃꓜ𑢩 aɑαа bƄЬвᏏᑲᖯ cсᴄⲥꮯ𐐽 dԁᏧᑯꓒ eεеҽꬲ fքẝꞙꬵ gƍɡցᶃ hһհᏂ
iıɩɪιіӏᎥꙇꭵ𑣃 jϳј kκк lƖǀ mм nηոռ oοσоօഠဝჿᴏᴑⲟꬽ𐐬𐓪𑣈𑣗 pρрⲣ qԛգզ rгᴦⲅꭇꭈꮁ sƽѕꜱꮪ𐑈𑣁 tτт uʋμυսᴜꞟꭎꭒ𐓶𑣘 vνѵᴠꮩ𑜆𑣀
wɯωѡԝաᴡꮃ𑜊𑜎𑜏 xχхᕁᕽ yɣʏγуүყᶌỿꭚ𑣜 zᴢꮓ𑣄
"""
"""A Latin letter, then letters of other scripts that look like it, from Unicode's `confusables.txt` (UTS 39), and small
letters that differ from it by little in most fonts."""
_AS_LATIN = str.maketrans({other: line[0] for line in _LOOK.split() for other in line[1:]})
_CAPITAL_I = str.maketrans("I", "l")

_JOINERS = "\u200c\u200d"
_TAGS = range(0xE0020, 0xE0080)
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
"""Unicode's property Default_Ignorable_Code_Point: drawn as nothing, or as a change of what stands beside it."""


def without_invisible(text: str) -> str:
    """Return a text without characters that cannot be seen, but for those that change how others are drawn.

    Joiners stay between signs of scripts that are joined, such as Persian or Devanagari, and within emoji; marks that
    choose the form of a sign stay behind it, and so do the tags of a flag.
    """
    if text.isascii() or not _INVISIBLE.search(text):
        return text
    shown: list[str] = []
    for place, char in enumerate(text):
        if not _INVISIBLE.match(char) or (shown and _shapes(shown[-1], char, text[place + 1 : place + 2])):
            shown.append(char)
    return "".join(shown)


def look(name: str) -> str:
    """Return a text that is the same for names that look the same, whatever their letter case, width, blanks, invisible
    signs, and letters of other scripts that look like Latin ones. It is not to be shown."""
    return _bare(name).translate(_AS_LATIN).casefold()


def looks(name: str) -> frozenset[str]:
    """Return the readings of a name: as `look` gives it, and with a capital I taken for a small L."""
    return frozenset((look(name), _bare(name).translate(_AS_LATIN).translate(_CAPITAL_I).casefold()))


def as_latin(text: str) -> tuple[str, Sequence[int]]:
    """Return a text with look-alikes of Latin letters and signs as these, and without what cannot be seen.

    Returns:
        That text, and where each of its characters stands in the text that was given.
    """
    if text.isascii():
        return text, range(len(text))
    places = [place for place, char in enumerate(text) if not _INVISIBLE.match(char)]
    return "".join(_single(text[place]) for place in places).translate(_AS_LATIN), places


@lru_cache(maxsize=4096)
def _single(char: str) -> str:
    """Return a character in its plain form, if that is one character as well."""
    plain = char if char.isascii() else unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 else char


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKC", _INVISIBLE.sub("", unicodedata.normalize("NFKC", name)))
    return "".join(
        char for char in plain if not char.isspace() and unicodedata.category(char) not in ("Cc", "Cf")
    )


def _shapes(before: str, char: str, after: str) -> bool:
    """Return True if an invisible character changes how the one before it is drawn."""
    if char in _JOINERS:
        return bool(after.strip()) and not _INVISIBLE.match(after) and _joined(before)
    if "\ufe00" <= char <= "\ufe0f":
        return not before.isspace() and not _INVISIBLE.match(before)
    return ord(char) in _TAGS and (before == "\U0001f3f4" or ord(before) in _TAGS)


def _joined(char: str) -> bool:
    """Return True if signs of this one's script may be drawn joined or apart, as those of Latin, Greek and Cyrillic,
    Chinese, Japanese and Korean never are."""
    if unicodedata.category(char) in ("So", "Sk", "Mn", "Mc") or char in "\ufe0f":
        return True
    return unicodedata.category(char) == "Lo" and not "\u2e80" <= char <= "\ud7ff" and char < "\U00020000"
