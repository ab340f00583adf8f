"""Changes to MLIR text, by kind. Each takes a text, a generator of random numbers and the corpus.

    mutant(corpus, seed=3, number=17)  -->  a text of the corpus after one to four changes, and their names

Changes of types, numbers and symbols come in two forms: at one place, which most often breaks a rule, and
at all places where the same thing stands, which most often leaves a program that is merely unusual.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from tests.robustness.texts import syntax
from tests.robustness.texts.corpus import Corpus
from tests.robustness.texts.module_mutators import change_module
from tests.robustness.texts.syntax import Span

Mutator = Callable[[str, random.Random, Corpus], str | None]

NUMBERS = (
    *("0", "1", "-1", "2", "3", "7", "64", "65", "255", "1000", "100000", "1000000000"),
    *("2147483647", "2147483648", "4294967296", "9223372036854775807", "-9223372036854775808"),
    *("9223372036854775808", "18446744073709551616", "1e400", "-0.0", "0.5", "nan", "0x7FF0000000000000"),
)
ELEMENTS = ("f64", "f32", "i64", "i32", "i1")
TYPES = (
    *ELEMENTS,
    *("index", "i8", "f16", "none", "tuple<>", "tensor<f64>", "tensor<*xf64>", "tensor<?xf64>"),
    *("tensor<0xf64>", "tensor<1xf64>", "tensor<1000000000000xf64>", "tensor<3x0x2xi1>", "tensor<2xtuple<>>"),
    *("!array.tape<>", "!array.tape<f64>", "!linear.map<f64, f64>", "!linear.map<tuple<>, tuple<>>"),
    *("!linear.map<tuple<f64, tensor<3xf64>>, f64>", "complex<f64>", "memref<3xf64>", "() -> f64"),
    *("tuple<tuple<f64>, tensor<4xf32>>", "vector<4xf64>", "!array.frame", "!unknown.type"),
)
LOCATIONS = (
    *("loc(unknown)", 'loc("f.mlir":1:2)', 'loc("{0}\\n%s":0:0)', 'loc("a":99999999999999999999:1)'),
    *('loc("name")', 'loc("name"("f":1:1))', 'loc(callsite("g":1:1 at "h":2:2))', 'loc(fused["a", "b":1:1])'),
    *("loc(fused[])", "loc(callsite(loc(unknown) at unknown))"),
)
STRINGS = ('""', '"{0}"', '"{0.__class__}"', '"%s%n"', '"\\00"', '"x"', '"' + "y" * 300 + '"')
LONGEST_MUTANT = 60_000


def mutant(corpus: Corpus, seed: int, number: int) -> tuple[str, tuple[str, ...]]:
    """Mutant `number` of a campaign, and the names of the changes that made it."""
    rng = random.Random(f"{seed}:{number}")
    text = ""
    names: list[str] = []
    wanted = rng.choice((1, 1, 1, 2, 2, 3, 4))
    name = _drawn(rng)
    for _ in range(20):
        # The first kind of change is made if any of several texts has what it changes.
        source = text if names else corpus.draw(rng)
        changed = MUTATORS[name][0](source, rng, corpus)
        if changed is not None and changed != source and len(changed) <= LONGEST_MUTANT:
            text = changed
            names.append(name)
            if len(names) == wanted:
                break
        if names:
            name = _drawn(rng)
    return text, tuple(names)


def _drawn(rng: random.Random) -> str:
    return rng.choices(_NAMES, cum_weights=_CUMULATIVE)[0]


def _replaced(text: str, span: Span, new: str) -> str:
    return text[: span[0]] + new + text[span[1] :]


def _everywhere(text: str, span: Span, new: str, rng: random.Random) -> str:
    """The new text at the span or, most often, wherever the same word stands."""
    old = text[span[0] : span[1]]
    if rng.random() < 0.3:
        return _replaced(text, span, new)
    return re.sub(rf"(?<![\w.%@-]){re.escape(old)}(?![\w.])", lambda _: new, text)


def _pick(spans: list[Span], rng: random.Random) -> Span | None:
    return rng.choice(spans) if spans else None


def change_type(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another type: one of the corpus, an unusual one, or the same in a tuple."""
    span = _pick(syntax.types(text), rng)
    if span is None:
        return None
    old = text[span[0] : span[1]]
    new = rng.choice(
        (
            rng.choice(corpus.types),
            rng.choice(TYPES),
            rng.choice(ELEMENTS),
            f"tuple<{old}>",
            f"tensor<2x{old}>",
        )
    )
    return _everywhere(text, span, new, rng)


def change_extent(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another extent, in types, or in types and wherever else the number stands."""
    span = _pick(syntax.spans(syntax.EXTENT, text), rng)
    if span is None:
        return None
    old = text[span[0] : span[1]]
    new = rng.choice(("0", "1", "2", "3", "5", "17", "100", "70000", "10000000000", rng.choice(NUMBERS)))
    match rng.choice((0, 1, 1, 1, 2, 2)):
        case 0:
            return _replaced(text, span, new)
        case 1:
            return re.sub(rf"(?<=[<x]){old}(?=x)", new, text)
        case _:
            return re.sub(rf"(?:(?<=[<x]){old}(?=x))|(?<![\w.%@-]){old}(?![\w.])", new, text)


def change_number(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another number."""
    span = _pick(syntax.spans(syntax.NUMBER, text), rng)
    if span is None:
        return None
    old = text[span[0] : span[1]]
    new = rng.choice(NUMBERS)
    if rng.random() < 0.3 and re.fullmatch(r"-?\d+", old):
        new = str(int(old) + rng.choice((-1, 1, 2, 8)))
    return _everywhere(text, span, new, rng)


def change_plan(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another number in what scheduling and planning decided."""
    span = _pick(syntax.spans(syntax.PLAN, text), rng)
    if span is None:
        return None
    entry = text[span[0] : span[1]]
    number = _pick(syntax.spans(re.compile(r"-?\d+"), entry), rng)
    if number is None:
        return None
    old = int(entry[number[0] : number[1]])
    new = rng.choice((old + 1, old - 1, old + 8, old + 64, 0, -1, -2, -3, 1, 2, 64, 4096, 2**31, -(2**40)))
    return _replaced(text, span, _replaced(entry, number, str(new)))


def change_entry(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another entry in braces or none, one more, one twice, another value of another kind."""
    span = _pick(syntax.spans(syntax.ENTRY, text), rng)
    if span is None:
        return None
    entry = text[span[0] : span[1]]
    name, _, value = entry.partition(" = ")
    values = ("-1", '"x"', "[]", "[0, 0]", "true", "unit", "f64", "@f", "[[1]]", "{}", "1.5", "array<i64: 0>")
    new = rng.choice(
        (
            *(
                f"{name} = {rng.choice(values)}",
                f"{name} = {rng.choice(NUMBERS)}",
                rng.choice(corpus.entries),
            ),
            *(f"{entry}, {rng.choice(corpus.entries)}", f"{entry}, {entry}", name, f"x{name} = {value}", ""),
        )
    )
    return _replaced(text, span, new)


def change_list(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A list in brackets with an entry more, fewer, or in another order."""
    span = _pick(syntax.spans(re.compile(r"\[[^\[\]\n]*\]"), text), rng)
    if span is None:
        return None
    entries = [e.strip() for e in text[span[0] + 1 : span[1] - 1].split(",") if e.strip()]
    match rng.randrange(4):
        case 0:
            entries.insert(rng.randint(0, len(entries)), rng.choice([*entries, "0", "1"]))
        case 1 if entries:
            entries.pop(rng.randrange(len(entries)))
        case 2:
            rng.shuffle(entries)
        case _:
            entries = []
    return _replaced(text, span, f"[{', '.join(entries)}]")


def change_operand(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another value, of those that stand in the text, or one more, or one fewer."""
    found = syntax.spans(syntax.OPERAND, text)
    span = _pick(found, rng)
    if span is None:
        return None
    old = text[span[0] : span[1]]
    other = text[slice(*rng.choice(found))]
    new = rng.choice((other, other, other, f"{old}, {other}", "%undefined", ""))
    if new == "" and text[span[1] : span[1] + 2] == ", ":
        span = (span[0], span[1] + 2)
    return _replaced(text, span, new)


def change_op_name(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another op, most often of the same dialect."""
    span = _pick(syntax.spans(syntax.OP_NAME, text), rng)
    if span is None:
        return None
    dialect = text[span[0] : span[1]].partition(".")[0]
    same = [name for name in corpus.op_names if name.startswith(dialect)]
    names = same if same and rng.random() < 0.8 else [*corpus.op_names, "unknown.op", "scf.for", "cf.br"]
    return _replaced(text, span, rng.choice(names))


def change_symbol(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another function: recursion, calls of what does not exist, two of one name; or a private one."""
    found = syntax.spans(syntax.SYMBOL, text)
    span = _pick(found, rng)
    if span is None:
        return None
    if rng.random() < 0.2:
        return text.replace("func.func @", "func.func private @", 1)
    new = rng.choice((text[slice(*rng.choice(found))], "@none", "@main", '@"a b"', "@f::@g", "@0"))
    return _everywhere(text, span, new, rng)


def change_keyword(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another word where there is one: the kinds of comparisons, reductions, reports."""
    found = syntax.spans(re.compile(r"(?<=[\s\[,])[a-z]{2,10}(?=[\s,\]}])"), text)
    span = _pick(found, rng)
    if span is None:
        return None
    return _replaced(text, span, text[slice(*rng.choice(found))])


def change_ops(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """An op, with its regions, deleted, repeated, moved, or taken from another text."""
    found = syntax.ops(text)
    if len(found) < 2:
        return None
    start, end = rng.choice(found)
    op = text[start:end]
    target = rng.choice(found)[0]
    match rng.randrange(5):
        case 0 | 1:
            return text[:start] + text[end:]
        case 2:
            return text[:target] + op + text[target:]
        case 3:
            rest = text[:start] + text[end:]
            target = min(target, len(rest))
            return rest[:target] + op + rest[target:]
        case _:
            other = corpus.draw(rng)
            span = _pick(syntax.ops(other), rng)
            return None if span is None else text[:target] + other[slice(*span)] + text[target:]


def change_regions(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A region emptied, without terminator, repeated, exchanged with another, or with more blocks."""
    found = syntax.regions(text)
    span = _pick(found, rng)
    if span is None:
        return None
    body = text[span[0] : span[1]]
    match rng.randrange(6):
        case 0:
            return _replaced(text, span, "{\n}")
        case 1:
            lines = body.split("\n")
            return _replaced(text, span, "\n".join([*lines[:-2], lines[-1]]))
        case 2:
            return _replaced(text, span, f"{body} {body}")
        case 3:
            return _replaced(text, span, text[slice(*rng.choice(found))])
        case 4:
            block = rng.choice(("^bb0:", "^bb1(%new : f64):", "^bb0(%new : i64, %other : f64):", "^bb2:"))
            lines = body.split("\n")
            lines.insert(rng.randint(1, max(1, len(lines) - 1)), block)
            return _replaced(text, span, "\n".join(lines))
        case _:
            return _replaced(text, span, "")


def change_arguments(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """The arguments of a region, or a list of types, with one more, one fewer, or of another type."""
    found = syntax.spans(re.compile(r"\([^()\n]*\)"), text)
    span = _pick(found, rng)
    if span is None:
        return None
    entries = [e.strip() for e in text[span[0] + 1 : span[1] - 1].split(",") if e.strip()]
    more = f"%more : {rng.choice(TYPES)}" if any("%" in e for e in entries) else rng.choice(TYPES)
    match rng.randrange(4):
        case 0:
            entries.insert(rng.randint(0, len(entries)), more)
        case 1 if entries:
            entries.pop(rng.randrange(len(entries)))
        case 2:
            rng.shuffle(entries)
        case _:
            entries = []
    return _replaced(text, span, f"({', '.join(entries)})")


def add_location(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A location at the end of a line, perhaps by an alias."""
    ends = [m.start() for m in re.finditer(r"(?<=[\w>})])\n", text)]
    if not ends:
        return None
    at = rng.choice(ends)
    location = rng.choice(LOCATIONS)
    if rng.random() < 0.2:
        alias = rng.choice(
            (f"#l = {location}\n", "#l = #l\n", "#l = loc(fused[#l])\n", "#l = loc(fused<#m>[])\n#m = #l\n")
        )
        return alias + text[:at] + " loc(#l)" + text[at:]
    return text[:at] + " " + location + text[at:]


def add_attribute(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A discardable attribute, or one of a function, of any kind."""
    value = rng.choice(
        ("unit", "-1 : i64", '"x"', "dense<1.0> : tensor<3xf64>", "array<i64: 1, -5>", "[f64, [1]]")
    )
    value = rng.choice(
        (value, "affine_map<(d0) -> (d0)>", "dense<[]> : tensor<0xi64>", "{a = {b = 1}}", "@f::@g")
    )
    name = rng.choice(
        ("kernel.places", "kernel.arena_bytes", "kernel.carries", "kernel.updates", "a.b", "llvm.noinline")
    )
    ends = [m.start() for m in re.finditer(r"(?<=[\w>)])(?= ?\{\n|\n)", text)]
    if not ends:
        return None
    at = rng.choice(ends)
    return f"{text[:at]} attributes {{{name} = {value}}}{text[at:]}"


def change_string(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Another string."""
    span = _pick(syntax.spans(syntax.STRING, text), rng)
    return None if span is None else _replaced(text, span, rng.choice(STRINGS))


def alias_type(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A type behind an alias, which may name itself or what is not defined."""
    span = _pick(syntax.types(text), rng)
    if span is None:
        return None
    old = text[span[0] : span[1]]
    define = rng.choice(
        (f"!a = {old}\n", "!a = tuple<!a>\n", "!a = !b\n!b = !a\n", f"!a = {old}\n!a = f64\n", "")
    )
    return define + _everywhere(text, span, "!a", rng)


def grow(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Something many times, or nested deep: an op, a type, an operand, an attribute."""
    times = int(2 ** rng.uniform(3, 12))
    match rng.randrange(5):
        case 0:
            span = _pick(syntax.types(text), rng)
            if span is None:
                return None
            return _replaced(text, span, "tuple<" * times + text[slice(*span)] + ">" * times)
        case 1:
            span = _pick(syntax.ops(text), rng)
            if span is None or (span[1] - span[0]) * times > LONGEST_MUTANT // 2:
                return None
            lines: list[str] = []
            last = ""
            for k in range(times):
                op = text[slice(*span)]
                result = re.match(r"\s*(%[\w.-]+) = ", op)
                if result is not None:
                    name = f"%grown{k}"
                    head = op[: result.end()].replace(result[1], name)
                    body = op[result.end() :]
                    first = syntax.OPERAND.search(body)
                    op = head + (_replaced(body, first.span(), last) if last and first else body)
                    last = name
                lines.append(op)
            return _replaced(text, span, text[slice(*span)] + "".join(lines))
        case 2:
            span = _pick(syntax.spans(syntax.OPERAND, text), rng)
            if span is None:
                return None
            return _replaced(text, span, ", ".join([text[slice(*span)]] * times))
        case 3:
            span = _pick(syntax.spans(syntax.ENTRY, text), rng)
            if span is None:
                return None
            name = text[slice(*span)].partition(" = ")[0]
            return _replaced(text, span, f"{name} = {'[' * times}{']' * times}")
        case _:
            span = _pick(syntax.regions(text), rng)
            op = "%p = array.constant true\n"
            nested = (
                f"{op}array.if %p : i1 -> () {{\n" * times
                + "array.yield\n"
                + "} else {\narray.yield\n}\narray.yield\n" * times
            )
            if span is None:
                return None
            return text[: span[0] + 1] + "\n" + nested[: -len("array.yield\n")] + text[span[0] + 1 :]


def add_function(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """A whole other text before or after."""
    other = corpus.draw(rng)
    return rng.choice((f"{other}\n{text}", f"{text}\n{other}", f"{text}\n{text}"))


def change_ops_in_place(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """The parsed program with ops changed so that types fit."""
    return change_module(lambda: corpus.module(text), rng)


def change_bytes(text: str, rng: random.Random, corpus: Corpus) -> str | None:
    """Characters exchanged, deleted, inserted or repeated, or the text cut off."""
    if not text:
        return None
    at = rng.randrange(len(text))
    length = min(int(2 ** rng.uniform(0, 7)), len(text) - at)
    match rng.randrange(6):
        case 0:
            return (
                text[:at]
                + chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x250), 0, 0x1F600)))
                + text[at + 1 :]
            )
        case 1:
            return text[:at] + text[at + length :]
        case 2:
            return text[:at] + text[at : at + length] * 2 + text[at + length :]
        case 3:
            return text[:at]
        case 4:
            return (
                text[:at]
                + rng.choice(
                    ("{", "}", "<", ">", "(", ")", "[", "]", '"', "\\", "//", "^", "%", "\x00", "\r")
                )
                + text[at:]
            )
        case _:
            other = rng.randrange(len(text))
            return text[:at] + text[other : other + length] + text[at + length :]


MUTATORS: dict[str, tuple[Mutator, float]] = {
    "module": (change_ops_in_place, 45),
    "type": (change_type, 8),
    "extent": (change_extent, 8),
    "number": (change_number, 8),
    "plan": (change_plan, 8),
    "entry": (change_entry, 8),
    "list": (change_list, 5),
    "operand": (change_operand, 10),
    "op name": (change_op_name, 7),
    "symbol": (change_symbol, 4),
    "keyword": (change_keyword, 4),
    "ops": (change_ops, 10),
    "regions": (change_regions, 5),
    "arguments": (change_arguments, 4),
    "location": (add_location, 1),
    "attribute": (add_attribute, 2),
    "string": (change_string, 2),
    "alias": (alias_type, 1),
    "growth": (grow, 0.4),
    "function": (add_function, 1),
    "bytes": (change_bytes, 5),
}
"""Every kind of change, with its weight."""

_NAMES = list(MUTATORS)
_CUMULATIVE = [sum(w for _, w in list(MUTATORS.values())[: k + 1]) for k in range(len(MUTATORS))]
