"""Texts whose tokens were wrong once, by script: a space is between tokens, " | " between sentences."""

import pytest

import crossarc
from crossarc.tagging import Tokenizer

RULES = {
    "Latin": """
        See http://site.example/x.  ->  See http://site.example/x .
        Have you seen www.site.example/a?b=1?  ->  Have you seen www.site.example/a?b=1 ?
        Look (https://site.example/b_(c))!  ->  Look ( https://site.example/b_(c) ) !
        Write to ann@site.example.  ->  Write to ann@site.example .
        I got an A!  ->  I got an A !
        70: the best  ->  70 : the best
        The price is 70:  ->  The price is 70 :
        "Hello  ->  " Hello
        „Ja“, »nein« “oh”  ->  „ Ja “ , » nein « “ oh ”
        x[0] = y[i+1];  ->  x [ 0 ] = y [ i + 1 ] ;
        Prof. Müller und Hr. Berg kamen.  ->  Prof. Müller und Hr. Berg kamen .
        Yahoo! Inc. is large.  ->  Yahoo ! Inc. is large .
        She has a Ph.D. in maths.  ->  She has a Ph.D. in maths .
        No. 5 is on p. 7.  ->  No. 5 is on p. 7 .
        He said no. Why?  ->  He said no . | Why ?
    """,
    "Greek": """
        Δες www.site.example;  ->  Δες www.site.example ;
        Γράψε στο anna@site.example.  ->  Γράψε στο anna@site.example .
        Πήρα Α!  ->  Πήρα Α !
        Τιμή 70: ναι.  ->  Τιμή 70 : ναι .
        «Γεια», είπε ο κ. Μαύρος.  ->  « Γεια » , είπε ο κ. Μαύρος .
    """,
    "Cyrillic": """
        Смотри https://сайт.рф/путь.  ->  Смотри https://сайт.рф/путь .
        Пиши на anna@site.example!  ->  Пиши на anna@site.example !
        Это план А!  ->  Это план А !
        Счёт 70: ясно.  ->  Счёт 70 : ясно .
        «Да», — сказал проф. Белов.  ->  « Да » , — сказал проф. Белов .
        Это г. Тверь и т. д.  ->  Это г. Тверь и т. д.
    """,
    "Arabic": """
        انظر http://site.example/x؟  ->  انظر http://site.example/x ؟
        اكتب إلى anna@site.example، شكرا.  ->  اكتب إلى anna@site.example ، شكرا .
        العدد ٧٠: نعم.  ->  العدد ٧٠ : نعم .
        «مرحبا» قال د. أحمد.  ->  « مرحبا » قال د. أحمد .
        ١٢٫٥ و ١٬٠٠٠  ->  ١٢٫٥ و ١٬٠٠٠
    """,
    "Hebrew": """
        ראו http://site.example/x.  ->  ראו http://site.example/x .
        ד"ר כהן אמר "כן".  ->  ד"ר כהן אמר " כן " .
    """,
    "Devanagari": """
        देखें http://site.example।  ->  देखें http://site.example ।
        संख्या ७०: हाँ।  ->  संख्या ७० : हाँ ।
        “नमस्ते” डॉ. शर्मा।  ->  “ नमस्ते ” डॉ. शर्मा ।
    """,
    "Georgian": """
        კარგი. რატომ?  ->  კარგი . | რატომ ?
        ნახე www.site.example.  ->  ნახე www.site.example .
    """,
    "Chinese and Japanese": """
        请看http://site.example/x。  ->  请 看 http://site.example/x 。
        看（http://site.example）吧！  ->  看 （ http://site.example ） 吧 ！
        「好」。  ->  「 好 」 。
        サイトhttp://site.example/です。  ->  サイト http://site.example/ です 。
    """,
    "Korean and Thai": """
        여기 http://site.example. 좋아요!  ->  여기 http://site.example . | 좋아요 !
        ดู http://site.example/x ครับ  ->  ดู http://site.example/x ครับ
    """,
}
# The model that comes with crossarc, with tokens as in its treebank.
ENGLISH = """
    See http://site.example/x.  ->  See http://site.example/x .
    See http://www.example.com.  ->  See http://www.example.com .
    Have you seen http://site.example/a?b=1?  ->  Have you seen http://site.example/a?b=1 ?
    Go to www.site.example!  ->  Go to www.site.example !
    Look (https://site.example/b_(c)).  ->  Look ( https://site.example/b_(c) ) .
    Try http://site.example/x, then rest.  ->  Try http://site.example/x , then rest .
    See http://site.example. Then go.  ->  See http://site.example . | Then go .
    Write to ann@site.example.  ->  Write to ann@site.example .
    Write to ann@site.example, bob.lee@post.example or me.  ->  Write to ann@site.example , bob.lee@post.example or me .
    Is it example.com?  ->  Is it example.com ?
    Our new name is example.com.  ->  Our new name is example.com .
    I got an A!  ->  I got an A !
    Plan A! Plan B?  ->  Plan A ! | Plan B ?
    The price is 70:  ->  The price is 70 :
    70: the best  ->  70 : the best
    Is it 70?  ->  Is it 70 ?
    They met in 1999.  ->  They met in 1999 .
    Call 555-0100.  ->  Call 555-0100 .
    It costs £4.  ->  It costs £ 4 .
    It costs €3.50.  ->  It costs € 3.50 .
    Ask Mr. Lee.  ->  Ask Mr. Lee .
    She likes Tuz.  ->  She likes Tuz .
    They left it to the CPA.  ->  They left it to the CPA .
    "Hello  ->  " Hello
    "Hello," she said.  ->  " Hello , " she said .
    “Hello,” she said.  ->  “ Hello , ” she said .
    ‘Hello,’ she said.  ->  ‘ Hello , ’ she said .
    He said “no” and left.  ->  He said “ no ” and left .
    He said «no» and left.  ->  He said « no » and left .
    (Laughter.)  ->  ( Laughter . )
    The value of x[0] is 5.  ->  The value of x [ 0 ] is 5 .
    Set x[0] = 1.  ->  Set x [ 0 ] = 1 .
    See [1] and [2].  ->  See [ 1 ] and [ 2 ] .
    It works [see below].  ->  It works [ see below ] .
    Prof. Müller came.  ->  Prof. Müller came .
    We met Prof. Smith.  ->  We met Prof. Smith .
    Ask Gen. Lee or Lt. Brown.  ->  Ask Gen. Lee or Lt. Brown .
    Yahoo! Inc. is large.  ->  Yahoo! Inc. is large .
    He works at Yahoo! Inc. in town.  ->  He works at Yahoo! Inc. in town .
    J.K. Rowe wrote it.  ->  J.K. Rowe wrote it .
    e.g. this one  ->  e.g. this one
    Follow @user.  ->  Follow @user .
    Well, no!  ->  Well , no !
    Really?!  ->  Really ?!
    Wait...  ->  Wait ...
    They live in the U.S.  ->  They live in the U.S.
"""


def cases(text):
    return [tuple(line.strip().split("  ->  ")) for line in text.strip().splitlines()]


def tokens_of(tokenizer, text):
    """Multiword tokens count as tokens."""
    found = []
    for one in tokenizer.tokenize(text):
        found.append(" ".join(row.form for row in one.rows if "TokenRange" in row.misc))
    return " | ".join(found)


@pytest.mark.parametrize(("text", "tokens"), [pair for texts in RULES.values() for pair in cases(texts)])
def test_rules(text, tokens):
    assert tokens_of(Tokenizer("rules"), text) == tokens


@pytest.fixture(scope="module")
def english():
    return crossarc.load("en").tokenizer


@pytest.mark.parametrize(("text", "tokens"), cases(ENGLISH))
def test_english(english, text, tokens):
    assert tokens_of(english, text) == tokens


@pytest.mark.parametrize("frame", ["See {}.", "Is it {}?", "Look at {}!", "({})", "See {}. Then go.", "{}:", '"{}"'])
def test_addresses_never_hold_the_punctuation_of_the_text(english, frame):
    """In all kinds of sentences, by rules and learned."""
    hosts = "site.example", "www.site.example", "a-b.c-d.example:8080"
    paths = "", "/", "/a.html", "/a/b?c=1&d=2", "/~a_(b)", "/a#b", "/a%20b/", "/a,b;c"
    addresses = [f"{scheme}://{host}{path}" for scheme in ("http", "ftp") for host in hosts for path in paths]
    addresses += [f"www.site.example{path}" for path in paths]
    addresses += [
        f"{name}@{host}" for name in ("ann", "ann.lee", "a_b+c", "x9") for host in ("site.example", "a-b.co.uk")
    ]
    for address in addresses:
        text = frame.format(address)
        begin = text.index(address)
        for tokenizer in (english, Tokenizer("rules")):
            spans = tokenizer.find_spans(text)
            assert (begin, begin + len(address)) in zip(spans.begins, spans.ends, strict=True), text
