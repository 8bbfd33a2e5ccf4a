// The texts: one pane for each source file and stage, in order. The lines that the selection became are marked in all of them.

import { HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, gutter, GutterMarker, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { type Index, type Profile, readSources, readStage, type StageText } from "./data";
import { escaped, h, HIDDEN } from "./dom";
import type { Selection, State } from "./state";
import { count, share } from "./units";

const COMMENTS: Record<string, string> = { llvmir: ";", asm: "#" };

function language(comment: string): StreamLanguage<unknown> {
  return StreamLanguage.define({
    name: "text",
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(comment)) {
        stream.skipToEnd();
        return "comment";
      }
      if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";
      if (stream.match(/^[%^#!][\w.$#:-]+/)) return "variableName";
      if (stream.match(/^@[\w.$-]+/)) return "labelName";
      if (stream.match(/^-?\d[\w.+]*/)) return "number";
      if (stream.match(/^[A-Za-z_$.][\w$.]*/)) {
        const word = stream.current();
        if (/^(tensor|memref|vector|index|[fi]\d+|bf16|ptr|float|double|x)$/.test(word)) return "typeName";
        return word.includes(".") || stream.column() <= 1 ? "keyword" : null;
      }
      stream.next();
      return null;
    },
  });
}

const HIGHLIGHT = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.comment, color: "var(--dim)" },
    { tag: tags.string, color: "var(--string)" },
    { tag: tags.number, color: "var(--number)" },
    { tag: tags.typeName, color: "var(--type)" },
    { tag: tags.keyword, color: "var(--keyword)" },
    { tag: tags.labelName, color: "var(--label)" },
  ]),
);

const OWN = Decoration.line({ class: "own" });
const NEAR = Decoration.line({ class: "near" });
const CURRENT = Decoration.line({ class: "own current" });

interface Marks {
  own: number[];
  near: number[];
  current: number;
}

const setMarks = StateEffect.define<Marks>();

const MARKS = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setMarks)) continue;
      const { own, near, current } = effect.value;
      const builder = new RangeSetBuilder<Decoration>();
      const all = [...own.map((line) => [line, true] as const), ...near.map((line) => [line, false] as const)].sort((a, b) => a[0] - b[0]);
      for (const [line, isOwn] of all) {
        const { from } = transaction.state.doc.line(line);
        builder.add(from, from, line === current ? CURRENT : isOwn ? OWN : NEAR);
      }
      return builder.finish();
    }
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The share of the time of a line. */
class Heat extends GutterMarker {
  constructor(
    private readonly part: number,
    private readonly most: number,
  ) {
    super();
  }

  toDOM(): HTMLElement {
    return h("span", { class: "hot", style: `--part:${((100 * this.part) / this.most).toFixed(1)}%` }, share(this.part, 1));
  }
}

/** Hot lines that are shown in turn. */
const MOST_HOT = 20;

/** Lines with a smaller share have no number. */
const LEAST_SHARE = 0.0005;

function heat(profile: Profile): Extension {
  const shares = new Map(profile.assembly);
  const most = Math.max(...shares.values());
  return gutter({
    class: "heat",
    lineMarker: (view, block) => {
      const part = shares.get(view.state.doc.lineAt(block.from).number - 1) ?? 0;
      return part >= LEAST_SHARE ? new Heat(part, most) : null;
    },
  });
}

/** A text with the lines that each operation and each nest became; lines count from 1. */
abstract class Pane {
  readonly element: HTMLElement;
  private readonly told: HTMLElement;
  private readonly body: HTMLElement;
  private editor: EditorView | null = null;
  private marks: Marks = { own: [], near: [], current: 0 };
  private loading = false;
  /** How many hot lines were shown. */
  private hot = 0;

  constructor(
    readonly name: string,
    contents: string,
    protected readonly index: Index,
    protected readonly state: State,
    private readonly comment: string,
  ) {
    this.told = h("span", { class: "told", role: "status" });
    this.body = h("div", { class: "body" }, h("p", { class: "note" }, "…"));
    this.element = h(
      "section",
      { class: "pane", "data-stage": name, "aria-label": `${name}: ${contents}` },
      h(
        "header",
        {},
        h("h3", { title: contents }, name),
        this.told,
        name === "asm" && index.profile?.assembly.length && h("button", { type: "button", class: "hottest", "aria-label": "Next hot line", title: "The line with most of the time; again for the next", click: () => this.hottest() }, "hot"),
        h("button", { type: "button", "aria-label": `Previous line in ${name}`, click: () => this.step(-1) }, "↑"),
        h("button", { type: "button", "aria-label": `Next line in ${name}`, click: () => this.step(1) }, "↓"),
      ),
      this.body,
    );
  }

  /** A column with what was measured. */
  protected measured(): Extension {
    return [];
  }

  protected abstract text(): Promise<string>;
  protected abstract lines(selection: Selection): { own: number[]; near: number[] };
  protected abstract clicked(line: number): void;
  protected abstract nothing(selection: Selection, hasNear: boolean): string;

  /** Reads the text when the pane is first seen. */
  async shown(): Promise<void> {
    if (this.loading) return;
    this.loading = true;
    const doc = await this.text();
    this.body.replaceChildren();
    this.editor = new EditorView({
      parent: this.body,
      state: EditorState.create({
        doc,
        extensions: [
          lineNumbers(),
          highlightSpecialChars({ specialChars: HIDDEN, render: (code) => h("span", { class: "hidden-char" }, escaped(code)) }),
          this.measured(),
          MARKS,
          language(this.comment),
          HIGHLIGHT,
          search({ top: true }),
          highlightSelectionMatches(),
          keymap.of([
            ...searchKeymap,
            { key: "Enter", run: (view) => (this.clicked(view.state.doc.lineAt(view.state.selection.main.head).number), true) },
          ]),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": `Text of ${this.name}`, "aria-readonly": "true" }),
          EditorView.domEventHandlers({
            click: (event, view) => {
              const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
              if (at !== null && view.state.selection.main.empty) this.clicked(view.state.doc.lineAt(at).number);
            },
          }),
        ],
      }),
    });
    this.selected();
  }

  /** Marks the selection's lines and moves to the first. */
  selected(): void {
    const { selection } = this.state;
    if (!this.editor) return;
    this.marks = selection ? { ...this.lines(selection), current: 0 } : { own: [], near: [], current: 0 };
    const { own, near } = this.marks;
    this.marks.current = own[0] ?? 0;
    this.told.textContent = !selection ? "" : own.length ? count(own.length, "line") : this.nothing(selection, near.length > 0);
    this.told.title = this.told.textContent;
    this.element.classList.toggle("empty", selection !== null && own.length === 0);
    // The cursor stays on the line that made the selection.
    const { doc, selection: cursor } = this.editor.state;
    const isThere = [...own, ...near].includes(doc.lineAt(cursor.main.head).number);
    this.apply(own[0] ?? near[0], !isThere);
  }

  private apply(line: number | undefined, movesCursor = true): void {
    if (!this.editor) return;
    const { editor } = this;
    editor.dispatch({ effects: setMarks.of(this.marks) });
    if (line === undefined) return;
    // The editor's own way would scroll the page, too.
    const { from } = editor.state.doc.line(line);
    if (movesCursor) editor.dispatch({ selection: { anchor: from } });
    editor.requestMeasure({
      read: () => editor.lineBlockAt(from).top,
      write: (top) => {
        editor.scrollDOM.scrollTop = Math.max(0, top - 40);
        editor.scrollDOM.scrollLeft = 0;
      },
    });
  }

  /** Moves to the line with most of the time, then to the next. */
  private hottest(): void {
    const lines = [...(this.index.profile?.assembly ?? [])].sort(([, one], [, other]) => other - one);
    if (!lines.length) return;
    const [line] = lines[this.hot++ % Math.min(lines.length, MOST_HOT)];
    this.marks.current = line + 1;
    if (!this.marks.own.includes(line + 1)) this.marks = { own: [line + 1], near: [], current: line + 1 };
    this.apply(line + 1);
  }

  private step(by: number): void {
    const lines = this.marks.own.length ? this.marks.own : this.marks.near;
    if (!lines.length) return;
    // From one run of adjacent lines to the next.
    const starts = lines.filter((line, at) => at === 0 || lines[at - 1] !== line - 1);
    const at = starts.findLastIndex((line) => line <= (this.marks.current || lines[0]));
    this.marks.current = starts[(at + by + starts.length) % starts.length];
    this.apply(this.marks.current);
  }
}

class StagePane extends Pane {
  private stage: StageText | null = null;

  protected measured(): Extension {
    const { profile } = this.index;
    return this.name === "asm" && profile?.assembly.length ? heat(profile) : [];
  }

  protected async text(): Promise<string> {
    this.stage = await readStage(this.name);
    return this.stage.text;
  }

  protected lines(selection: Selection): { own: number[]; near: number[] } {
    const { lines, origins } = this.stage!;
    const of = selection.kind === "operation" ? new Set(this.index.operations[selection.at].nests) : new Set([selection.at]);
    // 2: it is from the operation; 1: it is from a nest of the operation.
    const kinds = origins.map(([nests, operations]) => {
      if (selection.kind === "operation" && operations.includes(selection.at)) return 2;
      if (nests.some((nest) => of.has(nest))) return selection.kind === "nest" ? 2 : 1;
      return 0;
    });
    const [own, near]: [number[], number[]] = [[], []];
    lines.forEach((origin, at) => {
      const kind = origin ? kinds[origin - 1] : 0;
      if (kind === 2) own.push(at + 1);
      else if (kind === 1) near.push(at + 1);
    });
    // Before there are nests, their lines are those of their operations.
    if (selection.kind === "nest" && !own.length && !origins.some(([nests]) => nests.length)) {
      const members = new Set(this.index.nests[selection.at].operations);
      const inside = origins.map(([, operations]) => operations.some((operation) => members.has(operation)));
      lines.forEach((origin, at) => origin && inside[origin - 1] && near.push(at + 1));
    }
    return { own, near };
  }

  protected nothing(selection: Selection, hasNear: boolean): string {
    const { nests, operations } = this.index;
    const of = selection.kind === "nest" ? [selection.at] : operations[selection.at].nests;
    if (selection.kind === "nest" && hasNear) return "lines of its operations";
    const equal = of.map((nest) => nests[nest]).find((nest) => nest.copy > 0);
    const first = equal && nests.find((nest) => nest.kernel === equal.kernel && nest.copy === 0);
    const shared = first ? `; it may share code with ${first.name}, which it equals` : "";
    if (hasNear) return `no line that is known to be of it alone; those of its nest are marked${shared}`;
    return `nothing here is known to come from it${shared}`;
  }

  protected clicked(line: number): void {
    const origin = this.stage!.lines[line - 1];
    if (!origin) return;
    const [nests, operations] = this.stage!.origins[origin - 1];
    if (operations.length) {
      // Of several, the next one at each click.
      const { selection } = this.state;
      const at = selection?.kind === "operation" ? operations.indexOf(selection.at) : -1;
      this.state.select({ kind: "operation", at: operations[(at + 1) % operations.length] });
    } else if (nests.length) this.state.select({ kind: "nest", at: nests[0] });
  }
}

class SourcePane extends Pane {
  constructor(
    private readonly file: string,
    private readonly content: string,
    index: Index,
    state: State,
  ) {
    super(file.replace(/^.*\//, ""), `source file ${file}`, index, state, file.endsWith(".py") ? "#" : "//");
  }

  protected text(): Promise<string> {
    return Promise.resolve(this.content);
  }

  private places(operation: number): number[] {
    return this.index.operations[operation].frames.filter(([, file]) => file === this.file).map(([, , line]) => line);
  }

  protected lines(selection: Selection): { own: number[]; near: number[] } {
    const members = selection.kind === "operation" ? [selection.at] : this.index.nests[selection.at].operations;
    const last = this.content.split("\n").length;
    const valid = (line: number): boolean => line >= 1 && line <= last;
    const own = new Set(members.flatMap((member) => this.places(member).slice(0, 1)).filter(valid));
    // The callers.
    const near = new Set(members.flatMap((member) => this.places(member).slice(1)).filter((line) => valid(line) && !own.has(line)));
    const sorted = (lines: Set<number>): number[] => [...lines].sort((a, b) => a - b);
    return { own: sorted(own), near: sorted(near) };
  }

  protected nothing(): string {
    return "no place in this file";
  }

  protected clicked(line: number): void {
    const found = this.index.operations.findIndex((operation) => operation.frames.some(([, file, at]) => file === this.file && at === line));
    if (found >= 0) this.state.select({ kind: "operation", at: found });
  }
}

export class CodeView {
  readonly element: HTMLElement;
  private readonly strip = h("div", { class: "strip", tabindex: -1 });
  private readonly chooser = h("nav", { class: "chooser", "aria-label": "Stages" });
  private panes: Pane[] = [];

  constructor(
    private readonly index: Index,
    private readonly state: State,
  ) {
    this.element = h("section", { class: "code", "aria-label": "Texts of the stages" }, this.chooser, this.strip);
  }

  async start(): Promise<void> {
    const sources = await readSources();
    const named = new Map<string, number>();
    for (const operation of this.index.operations) {
      const [innermost] = operation.frames;
      if (innermost) named.set(innermost[1], (named.get(innermost[1]) ?? 0) + 1);
    }
    // Files with more of the program first; one that nothing refers to says nothing here.
    const files = sources.filter(({ file }) => this.index.operations.some((operation) => operation.frames.some((frame) => frame[1] === file)));
    files.sort((a, b) => (named.get(b.file) ?? 0) - (named.get(a.file) ?? 0));
    const { index, state } = this;
    this.panes = [
      ...files.map(({ file, text }) => new SourcePane(file, text, index, state)),
      ...index.stages.map(({ name, contents }) => new StagePane(name, contents, index, state, COMMENTS[name] ?? "//")),
    ];
    const seen = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) if (entry.isIntersecting) void this.panes.find((pane) => pane.element === entry.target)?.shown();
      },
      { root: this.strip, rootMargin: "0px 50%" },
    );
    for (const pane of this.panes) {
      this.strip.append(pane.element);
      seen.observe(pane.element);
      this.chooser.append(h("button", { type: "button", click: () => this.scrollTo(pane) }, pane.name));
    }
    const current = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          const at = this.panes.findIndex((pane) => pane.element === entry.target);
          this.chooser.children[at]?.classList.toggle("current", entry.isIntersecting);
        }
      },
      { root: this.strip, threshold: 0.6 },
    );
    for (const pane of this.panes) current.observe(pane.element);
  }

  scrollToStage(name: string): void {
    const pane = this.panes.find((one) => one.name === name);
    if (pane) this.scrollTo(pane);
  }

  private scrollTo(pane: Pane): void {
    this.strip.scrollTo({ left: pane.element.offsetLeft - this.strip.offsetLeft });
    pane.element.querySelector<HTMLElement>(".cm-content")?.focus({ preventScroll: true });
  }

  selected(): void {
    for (const pane of this.panes) pane.selected();
  }
}

