"""Hostile text in documents is preserved as text, and never becomes code."""

from __future__ import annotations

import ast
import json
import tomllib
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from support.modelling import Package, document
from support.tables import cases

from dateline.python.docstrings import docstring
from dateline.python.names import join_names, snake

CODE = "__import__('os').system('touch canary')"
HOSTILE = {
    "quotes": f'x"""\n{CODE}\n"""',
    "backslash": "ends in \\",
    "quote": 'ends in "',
    "both": "'\\'\"\\\"'''",
    "newline": f"x\n{CODE}",
    "return": f"x\r{CODE}\r\n",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg",
    "control": "bell\x07 nul\x00 escape\x1b[31m",
    "bidi": "a\u202eb\u2066c\u2069\u200f",
    "surrogates": "astral \U0001f600 \U000e0001",
    "escapes": "\\x \\u12 \\N{nope} \\",
    "jinja": "{{ 7*7 }}{% raw %}{{ cycler.__init__.__globals__.os.system('x') }}",
    "format": "{__import__('os')} %s {0} {}",
    "comment": f"# end\n# begin v2024_01_01.models.A\n{CODE}",
    "concatenation": f"'+{CODE}+'",
    "long": "word " * 60 + "\n" + "x" * 300,
    "blank": "   ",
    "german": "Größe – naïve “quotes”",
}

# What generated modules may call, apart from classes in annotations.
_CALLS = {
    *("t.Field", "t.Tagged", "t.Pattern", "t.OneOf", "t.MultipleOf", "t.Spelled", "t.complete"),
    *("t.AtLeast", "t.AtMost", "t.Dependent", "t.Requires", "t.Unrecognized", "TypeAliasType"),
}
_TOP_LEVEL = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Expr, ast.If)
_FORBIDDEN = (
    *(ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr),
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.Await, ast.Yield, ast.NamedExpr),
)


def list_forbidden(text: str) -> list[str]:
    """Return the parts of *text* that a generated module of models must not contain."""
    found = [
        f"character {character!a}"
        for character in text
        if not character.isprintable() and character != "\n"
    ]
    tree = ast.parse(text)
    found += [
        f"statement {ast.unparse(node).splitlines()[0]}" for node in tree.body if _is_odd(node)
    ]
    for node in ast.walk(tree):
        if isinstance(node, _FORBIDDEN):
            found.append(f"expression {type(node).__name__}")
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in _CALLS:
            found.append(f"call of {ast.unparse(node.func)}")
        if isinstance(node, ast.ClassDef):
            names = [each.target.id for each in node.body if isinstance(each, ast.AnnAssign)]  # type: ignore[union-attr]
            folded = [unicodedata.normalize("NFKC", name) for name in names]
            found += [f"{node.name}.{name} twice" for name in {*folded} if folded.count(name) > 1]
    return found


def _is_odd(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return not is_text and not isinstance(node.value, ast.Call)
    return not isinstance(node, _TOP_LEVEL)


def test_guard_detects_code() -> None:
    assert list_forbidden("import os\nos.system('x')\nx = lambda: 1\ndef f(): ...\n'\u202e'") == [
        "character '\\u202e'",
        "statement def f():",
        "expression FunctionDef",
        "call of os.system",
        "expression Lambda",
    ]


def hostile(text: str) -> dict[str, Any]:
    """Return a document with *text* in every place for text."""
    return document(
        {
            "Holder": {
                "type": "object",
                "title": text,
                "description": text,
                "required": ["fixed"],
                "properties": {
                    "described": {"type": "string", "description": text, "title": text},
                    "default": {"type": "string", "default": text},
                    "fixed": {"const": text},
                    "listed": {"type": "string", "enum": [text, "other"]},
                    "one": {"enum": [text, 1.5, {text: [text]}]},
                    "open": {"type": "string", "x-extensible-enum": [text]},
                    "pattern": {"type": "string", "pattern": _pattern(text)},
                    "named": {
                        "type": "object",
                        "required": [text],
                        "properties": {text: {"type": "string"}},
                        "minProperties": 1,
                        "dependentRequired": {text: [text]},
                    },
                    "rail": {
                        "oneOf": [
                            {
                                "type": "object",
                                "title": text,
                                "required": [text],
                                "properties": {text: {"const": text}},
                            },
                            {
                                "type": "object",
                                "required": [text],
                                "properties": {text: {"const": "b"}},
                            },
                        ],
                        "discriminator": {"propertyName": text},
                    },
                    "generator": {
                        "type": "string",
                        "default_factory": CODE,
                        "x-python-type": CODE,
                        "x-python-import": {"module": CODE},
                        "customTypePath": "os.system",
                        "customBasePath": "os.system",
                        "x-enum-varnames": [CODE],
                        "deprecated": True,
                        "examples": [CODE],
                        "x-else": CODE,
                    },
                },
            },
            "Status": {
                "type": "string",
                "description": text,
                "enum": ["a", "b"],
                "x-enum-descriptions": {"a": text},
            },
            "Either": {"description": text, "anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        info={"title": text, "version": text, "description": text},
    )


def _pattern(text: str) -> str:
    special = "\\^$.|?*+()[]{}/"
    return "^" + "".join("\\" + each if each in special else each for each in text) + "$"


@pytest.mark.parametrize("kind", HOSTILE)
def test_text_is_preserved(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = HOSTILE[kind]
    package = Package(tmp_path, {"2024-01-01": hostile(text)})
    unknown = "models ignore that `oneOf` allows no other tags: they are read as a class `Unknown…`"
    assert package.notes == [f"components.Holder.rail: {unknown}"]
    for path, source in package.files.items():
        if "/models/" in path:
            assert list_forbidden(source) == []
            assert "os.system" not in _without_strings(source)
    module = package.version("2024-01-01")
    # broken into lines if it is too long for one
    documented = [str(each.__doc__).split() for each in (module.Holder, module.Status)]
    assert documented == [text.split()] * 2
    fields = module.Holder.model_fields
    assert (fields["described"].description, fields["described"].title) == (text, text)
    assert fields["default"].default == text
    instance = {
        "fixed": text,
        "listed": text,
        "one": {text: [text]},
        "open": text,
        "pattern": text,
        "named": {text: "x"},
        "rail": {text: text},
    }
    made = module.Holder.model_validate_json(json.dumps(instance))
    assert json.loads(made.model_dump_json()) == instance
    assert type(made.open) is str
    assert type(made.rail).__name__.startswith("HolderRail")
    for name in ("fixed", "listed", "one", "pattern"):
        with pytest.raises(ValidationError):
            module.Holder.model_validate({**instance, name: text + "x"})
    assert TypeAdapter(module.Either).validate_python(1) == 1
    assert not list(tmp_path.rglob("canary"))


def _without_strings(source: str) -> str:
    class Blank(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.Constant:
            return ast.Constant("") if isinstance(node.value, str) else node

    return ast.unparse(Blank().visit(ast.parse(source)))


def test_title_of_a_version_is_text(tmp_path: Path) -> None:
    package = Package(tmp_path, {"2024-01-01": hostile("x")})
    assert package.version("2024-01-01").__doc__ == "Version 2024-01-01: What came on 2024-01-01"
    tomllib.loads(package.files["python/pyproject.toml"])


@cases(
    "text",
    [
        *('a"', '"', '""', '"""', 'a"""', 'a""""', "a\\", 'a\\"', 'a\\\\"', '\\"""', "   "),
        *("- x\n  y\n- z", "- a\n    code", "1. a\n   b", "word " * 40 + '"'),
    ],
)
@cases("indent", [0, 4])
def test_docstring_has_the_words_of_its_text(text: str, indent: int) -> None:
    source = f"class A:\n{' ' * (indent or 1)}{docstring([text], indent)}\n"
    assert str(ast.literal_eval(_first(source))).split() == text.split()


def _first(source: str) -> ast.expr:
    holder = ast.parse(source).body[0]
    assert isinstance(holder, ast.ClassDef)
    statement = holder.body[0]
    assert isinstance(statement, ast.Expr)
    return statement.value


@cases(
    ("parts", "joined"),
    [
        (["AutorampTransaction", "State"], "AutorampTransactionState"),
        (["AutorampTransaction", "TransactionHash"], "AutorampTransactionHash"),
        (["BankAccountIdentifier", "BankAccountACHIdentifier"], "BankAccountACHIdentifier"),
        (["Recipient", "Recipient", "Type"], "RecipientType"),
        (["Account", "BankAccount"], "AccountBankAccount"),
        (["FeeBreakdown", "FeeType"], "FeeBreakdownFeeType"),
    ],
)
def test_name_of_an_inline_type_repeats_no_words(parts: list[str], joined: str) -> None:
    assert join_names(parts) == joined


@cases(
    ("name", "snaked"),
    [
        *(("oAuth2", "oauth2"), ("getOAuthToken", "get_oauth_token"), ("OAuth", "oauth")),
        *(("noAuth", "no_auth"), ("proAuthor", "pro_author"), ("SSOAuthority", "sso_authority")),
        *(("eTag", "etag"), ("getETag", "get_etag"), ("ifNoneMatchETags", "if_none_match_etags")),
        *(("deleteTag", "delete_tag"), ("DELETETag", "delete_tag")),
        *(("iOS", "ios"), ("iOSVersion", "ios_version"), ("is_iOS", "is_ios"), ("mTLS", "mtls")),
        *(("xAxis", "x_axis"), ("aRecord", "a_record"), ("getOSName", "get_os_name")),
        *(("IPv4", "ipv4"), ("srcIPv6Addr", "src_ipv6_addr"), ("TLSv1", "tlsv1")),
        *(("URLs", "urls"), ("URLsById", "urls_by_id"), ("userIDs", "user_ids")),
        *(("APIs", "apis"), ("APIsByName", "apis_by_name")),
        *(("IDIsKnown", "id_is_known"), ("CSVAsText", "csv_as_text"), ("USState", "us_state")),
        *(("s3Bucket", "s3_bucket"), ("HTTPServer", "http_server"), ("X-Rate", "x_rate")),
    ],
)
def test_camel_case_name_is_split_into_words(name: str, snaked: str) -> None:
    assert snake(name) == snaked
