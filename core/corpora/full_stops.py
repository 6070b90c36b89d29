"""Full stops that end no sentence: those of abbreviations and of ordinal numbers, in any language.

Splitters know these of one language, and what language a few words are in cannot be told for certain. So this asks for
no language: what is listed abbreviates something wherever it stands, or does where a number, a name or a word in lower
case follows.
"""

from __future__ import annotations

import re

_CANDIDATE = re.compile(
    r"(?<![^\s(\[{“”„«»‘\"'/–—])"
    r"(?P<word>[^\s.]{1,20}(?:\.[^\s.]{1,20}){0,6})\.(?=[ \t\u00a0\u2009\u202f]+(?P<next>\S{1,20}))"
)
"""A word with a full stop behind it, and the next word."""
_TITLES = (
    # English, French, Spanish, Portuguese, Italian
    "dr mr mrs ms st messrs msgr capt sgt cpl pvt lt col gen maj adm cmdr rev hon gov sen rep supt insp prof mm mme "
    "mmes mlle mlles mgr sra srs sres srta srtas dra dras drs dña arq gral av avda pza ctra ud uds vd vds exmo exma "
    "eng profa cel sgto sig sigg dott avv geom mons spett egr fr "
    # German, Dutch, Scandinavian languages
    "hr hrn frl dipl hl univ mio mrd tsd dhr mevr mw kgl sct "
    # Polish, Czech, Turkish, Romanian, Vietnamese, Indonesian
    "ul inż św ks płk kpt hab sv nám ing mudr judr phdr rndr sn doç cad sok mah dl dna ths gs pgs tp jl bpk "
    # Russian, Ukrainian, Greek, Hindi
    "ул проф акад им гр вул пр просп пл обл пос тов доц δρ κα οδ डॉ प्रो पं श्री कु डा"
)
"""Before a name."""
_NUMBERED = (
    "no nos nr nrs num núm núms vol vols p pp pg pág págs pag pagg fig figs eq eqs ch chs chap cap caps sec sect "
    "art arts par para app pt op bk tab tabs col cols ed ver v vv approx aprox ca c circa fl r b d n nº s f ff l ll "
    "tel ext est max min env bd bde abb kap abs anm abt aufl str blz kl kr pkt sid č čís tř hlm tgl séc sg dpto apt "
    "al bl ст стр рис табл гл т тт п пп ч № кв д рр с jan feb febr mar mär apr jun jul aug sep sept oct okt nov dec "
    "dez janv févr fév avr juil déc ene abr dic gen giu lug ott fev mai mrt mei янв февр фев мар апр авг сент сен "
    "окт нояб дек"
)
"""Before a number, in digits or Roman, or in brackets."""
_LOWER = (
    "cf viz esp incl excl resp vs etc al vgl bzw ggf evtl inkl zzgl usw bspw sog geb gest verh jh jhdt tzw tj np "
    "tzn ecc ej bv bijv enz jl evt blz dvs ud uu bl eks mfl ang dr mgr prof zb zł tys godz vb örn dll ltd inc co "
    "corp jr sr plc bros dept univ assn jan feb mrt st rd ave blvd"
)
"""Before a word in lower case."""
_NAMED = "e.g i.e cf viz z.b d.h u.a p.ej t.ex f.eks b.v bijv vgl np tzn örn ee"
"""Before any word."""
_AFTER_DAY = "ago out set mag sett"
"""Months behind a day, else words."""
_UNITS = "mm ms min sec st col"
"""Behind a number they are no such abbreviations."""
TITLES, NUMBERED, LOWER, NAMED, AFTER_DAY, UNITS = (
    frozenset(words.split()) for words in (_TITLES, _NUMBERED, _LOWER, _NAMED, _AFTER_DAY, _UNITS)
)
_ROMAN = re.compile(r"[IVXLC]+\b")
_MONTHS = (
    "januar jänner februar feber märz april mai juni juli august september oktober november dezember jan feb mär apr "
    "jun jul aug sep sept okt nov dez"
)
_COUNTED = frozenset(
    f"{_MONTHS} jahrhundert jahrhunderts jahrhunderte jahrtausend jahrtausends weltkrieg weltkriegs weltkrieges mal "
    "klasse stock etage platz auflage kapitel lebensjahr geburtstag bezirk wahlperiode legislaturperiode bundesliga jh "
    "sinfonie symphonie armee person".split()
)
"""German nouns before which a number is an ordinal."""
_BEFORE_ORDINAL = re.compile(
    r"(?:\b(?:im|der|den|dem|des|vom|zum|zur|beim|(?:ein|sein|ihr|unser|jed|dies)e[mnrs]?)|(?<!\bI )\b[Aa]m|\b[Dd]ie|"
    r"\b[Dd]as)\s\Z"
)
"""German words between which and its noun a number is an ordinal."""
_VOWEL = re.compile("[aeiouyàáâãäåæèéêëìíîïòóôõöøœùúûüýаеиоуыэюяёіїє]")


def without_abbreviations(line: str) -> str:
    """A line with commas for the full stops that end no sentence; its length stays."""
    if "." not in line:
        return line
    danda = "।" in line

    def mask(found: re.Match[str]) -> str:
        before = line[max(0, found.start() - 12) : found.start()]
        ends = _ends(found["word"], found["next"], before, danda=danda)
        return found[0] if ends else f"{found['word']},"

    return _CANDIDATE.sub(mask, line)


def _ends(word: str, following: str, before: str, *, danda: bool) -> bool:
    """True if the full stop after a word ends a sentence, judged by the word and by the next one.

    Args:
        word: Before it.
        following: The next word.
        before: What stands before the word.
        danda: Whether sentences of the line end with another mark.
    """
    plain = word.casefold()
    last = re.split(r"[.-]", plain)[-1]
    first = following[0]
    number = (
        first.isdigit() or (first in "(№#§" and following[1:2].isdigit()) or bool(_ROMAN.match(following))
    )
    behind_number = before[-2:-1].isdigit()
    if behind_number and (last in UNITS or (first.isdigit() and len(last) < 3)):
        return True  # “5 m. 3 ships”
    if last in AFTER_DAY and behind_number and first.isdigit():
        return False
    if (last in TITLES and first.isalpha()) or (last in NUMBERED and number) or plain in NAMED:
        return False
    if len(plain) == 1 and plain.isalpha():
        return _initial_ends(word, following, before)
    if danda and not plain.isascii() and len(plain) <= 3:
        return False
    if word.isdigit() or _ROMAN.fullmatch(word):
        if first.islower():
            return len(word) > 4
        noun = re.match(r"\w+", following)
        counted = bool(noun and noun[0].casefold() in _COUNTED)
        return len(word) > (2 if word.isdigit() else 5) or not (
            first.isupper() and (counted or _BEFORE_ORDINAL.search(before))
        )
    if first.islower():
        # Without a vowel it is no word: “Str. von”, “vgl. dazu”. With full stops in it, it is none either.
        consonants = plain.isalpha() and len(plain) <= 5 and not _VOWEL.search(plain)
        return not (last in LOWER or consonants or "." in plain)
    return True


def _initial_ends(letter: str, following: str, before: str) -> bool:
    """True if the full stop after a single letter, as in an initial or “Plan B.”, ends a sentence."""
    if following[0].isdigit():
        return letter.isupper() and letter != "S"
    if following[0].islower():
        return False
    if "\u0600" <= letter <= "\u06ff":
        return False  # “د. أحمد”
    return not letter.islower() or letter.isascii() or before[-2:-1].isdigit()
