// What is known of the selection.

import type { Source, Subject } from "./data";
import { h, replace, type Child } from "./dom";
import type { Model } from "./model";
import type { State } from "./state";
import { bytes, count, scaled, share, short, time } from "./units";

const MOST_LINKS = 12;

export class Details {
  readonly element = h("aside", { class: "details", "aria-label": "Selection", "aria-live": "polite", tabindex: -1 });
  private sources = new Map<string, string[]>();

  constructor(
    private readonly model: Model,
    private readonly state: State,
    private readonly toStage: (name: string) => void,
  ) {}

  know(sources: Source[]): void {
    for (const { file, text } of sources) this.sources.set(file, text.split("\n"));
    this.selected();
  }

  selected(): void {
    const { selection } = this.state;
    if (!selection) replace(this.element, ...this.program());
    else if (selection.kind === "operation") replace(this.element, ...this.operation(selection.at));
    else replace(this.element, ...this.nest(selection.at));
    this.element.scrollTop = 0;
  }

  link(at: number): HTMLElement {
    const operation = this.model.operation(at);
    return h(
      "a",
      { href: `#op=${at}`, title: operation.label ?? operation.name, click: (event: Event) => this.follow(event, () => this.state.select({ kind: "operation", at })) },
      `${this.model.title(at)} #${at}`,
    );
  }

  /** A call, with its line. */
  private call(at: number): HTMLElement {
    const [place] = this.model.operation(at).frames;
    return h("span", {}, this.link(at), place ? ` ${place[1].replace(/^.*\//, "")}:${place[2]}` : "");
  }

  nestLink(at: number): HTMLElement {
    const { name } = this.model.index.nests[at];
    return h("a", { href: `#nest=${encodeURIComponent(name)}`, click: (event: Event) => this.follow(event, () => this.state.select({ kind: "nest", at })) }, name);
  }

  subject({ inputs, operations, nests }: Subject): Child[] {
    const names = this.model.index.inputs;
    const all: Child[] = [
      ...inputs.map((at) => `input ${names?.[at]?.name || at}`),
      ...nests.map((at) => this.nestLink(at)),
      ...operations.map((at) => this.link(at)),
    ];
    return listed(all);
  }

  private follow(event: Event, act: () => void): void {
    event.preventDefault();
    act();
  }

  private program(): Child[] {
    const { index } = this.model;
    const tensors = (list: typeof index.inputs): Child =>
      list && h("ul", {}, ...list.slice(0, 60).map((one) => h("li", {}, h("code", {}, short(one.type)), one.name ? ` ${one.name}` : "")), list.length > 60 && h("li", {}, `… ${list.length - 60} more`));
    return [
      h("h2", {}, index.program),
      h("p", { class: "note" }, "Choose an operation: in the graph, by search (press /), or by a line of a text."),
      facts([
        ["entry", `@${index.entry}`],
        ["target", `${index.target.cpu}, ${index.target.triple}`],
        ["operations", count(index.operations.length, "operation")],
        ["nests", count(index.nests.length, "nest")],
        ["profile", index.profile && `${count(index.profile.samples, "sample")} by ${index.profile.method}${index.profile.seconds === null ? "" : `; ${time(index.profile.seconds * 1e9)} a call`}${(index.profile.threads ?? 1) > 1 ? ` on ${index.profile.threads} threads` : ""}`],
        ["time", this.model.totalNs > 0 && `${time(this.model.totalNs)} in nests on one thread, estimated`],
        ["arithmetic", scaled(this.model.totalFlops, "flop")],
        ["workspace", index.arena && bytes(index.arena.bytes)],
        ["copies", String(index.copies.length)],
      ]),
      index.profile && h("h3", {}, "Most of the time"),
      index.profile && h("ol", { class: "top" }, ...index.profile.operations.slice(0, 8).map(([at, measured]) => h("li", {}, this.link(at), ` ${share(measured.share, 1)}`))),
      h("h3", {}, "Inputs"),
      tensors(index.inputs),
      h("h3", {}, "Outputs"),
      tensors(index.outputs),
    ];
  }

  private operation(at: number): Child[] {
    const { model } = this;
    const operation = model.operation(at);
    const cost = model.costs[at];
    return [
      h("h2", {}, operation.name, " ", h("span", { class: "dim" }, `#${at}`)),
      h("p", { class: "types" }, h("code", {}, operation.types.join(", ") || "no result")),
      operation.label && h("p", { class: "scope" }, operation.label),
      facts([
        ["measured", model.measured(model.measuredOperations.get(at))],
        ["became", operation.nests.length ? listed(operation.nests.map((nest) => this.nestLink(nest))) : operation.fate],
        ["and", operation.nests.length > 0 && operation.fate.includes(";") && operation.fate.slice(operation.fate.indexOf(";") + 1).trim()],
        ["schedule", operation.nests.length > 0 && listed([...new Set(operation.nests.map((nest) => model.index.nests[nest].schedule ?? "none: plain loops"))])],
        ["operands", listed(model.operands[at].map((one) => this.link(one)))],
        ["users", listed(operation.users.map((one) => this.link(one)))],
        ["calls", operation.callee && `@${operation.callee}`],
        ["called by", listed(operation.callers.map((one) => this.call(one)))],
        ["arithmetic", cost && `${scaled(cost.flops, "flop")}${cost.transcendentals ? ` and ${scaled(cost.transcendentals, "")} functions` : ""}, ${share(cost.flops + cost.transcendentals, model.totalFlops)} of the program’s`],
        ["moved", cost && `${bytes(cost.bytes)} of operands and results, before fusion`],
        ["shared", cost && cost.others.size > 0 && ["this work is also that of ", ...listed([...cost.others].map((one) => this.link(one)))]],
        ["vectors", operation.vectors.length > 0 && operation.vectors.join(", ")],
      ]),
      h("h3", {}, "Places"),
      this.places(at),
      this.stages(),
    ];
  }

  private places(at: number): Child {
    const { frames } = this.model.operation(at);
    if (!frames.length) return h("p", { class: "note" }, "The program has no location for it.");
    return h(
      "ol",
      { class: "places" },
      ...frames.map(([name, file, line, column]) => {
        const text = this.sources.get(file)?.[line - 1]?.trim();
        return h(
          "li",
          {},
          h("code", {}, `${file}:${line}${column ? `:${column}` : ""}`),
          name && name !== this.model.operation(at).label ? ` in ${name}` : "",
          text && h("pre", {}, text.length > 300 ? `${text.slice(0, 300)}…` : text),
        );
      }),
    );
  }

  private stages(): Child {
    return h(
      "p",
      { class: "jump" },
      "To its lines in ",
      ...this.model.index.stages.flatMap(({ name }, at) => [at ? " · " : null, h("button", { type: "button", class: "link", click: () => this.toStage(name) }, name)]),
    );
  }

  private nest(at: number): Child[] {
    const { model } = this;
    const { index } = model;
    const nest = index.nests[at];
    const cost = model.nestCost(nest);
    const equal = nest.kernel === null ? [] : index.nests.flatMap((other, position) => (position !== at && other.kernel === nest.kernel ? [position] : []));
    const loops = index.loops.filter((loop) => loop.of.nests.includes(at));
    const copies = index.copies.filter((copy) => copy.of.nests.includes(at) || copy.blame.nests.includes(at));
    return [
      h("h2", {}, nest.name),
      h("p", { class: "types" }, h("code", {}, nest.schedule ?? "no schedule: plain loops")),
      facts([
        ["of", listed(nest.operations.map((one) => this.link(one)))],
        ["equal", listed(equal.map((one) => this.nestLink(one)))],
        ["measured", model.measured(model.measuredNests.get(at))],
        ["time", nest.ns > 0 && `${time(nest.ns)} in a call on one thread, estimated; ${share(nest.ns, model.totalNs)} of all nests`],
        ["arithmetic", cost.flops > 0 && `${cost.exact ? "" : "at most "}${scaled(cost.flops, "flop")}${nest.ns > 0 ? `: ${scaled((cost.flops / nest.ns) * 1e9, "flop/s")}, ${share(cost.flops / nest.ns, index.limits.flops_per_ns)} of the cost model’s limit` : ""}`],
        ["loops", nest.loops.length > 0 && loopsOf(nest.loops)],
        ["computes", nest.computes.join(", ")],
        ["vectors", nest.vectors.join(", ") || "none"],
        ["scratch", nest.scratch > 0 && bytes(nest.scratch)],
        ["weights", nest.packed > 0 && `${bytes(nest.packed)}, in a layout of its own`],
      ]),
      h("h3", {}, "Schedules that were considered"),
      nest.attempts.length
        ? h(
            "table",
            {},
            h("thead", {}, h("tr", {}, h("th", {}, "schedule"), h("th", {}, "outcome"))),
            h("tbody", {}, ...nest.attempts.map(([schedule, declined]) => h("tr", { class: declined === null ? "chosen" : "" }, h("td", {}, h("code", {}, schedule)), h("td", {}, declined === null ? "chosen" : `declined: ${declined}`)))),
          )
        : h("p", { class: "note" }, "None."),
      nest.kernel !== null && nest.schedule !== null && h("p", { class: "note" }, h("code", {}, "strata schedule"), " prints its sequence as ", h("code", {}, `@${nest.kernel}`), ", to be edited and given to ", h("code", {}, "--schedule"), "."),
      loops.length > 0 && h("h3", {}, "Threads"),
      loops.length > 0 &&
        h(
          "ul",
          {},
          ...loops.map((loop) => h("li", {}, loop.tasks === null ? `not split: ${loop.because ?? "no reason is told"}` : count(loop.tasks, "task"), ` (${time(loop.ns)} each of ${loop.runs ?? "an unknown number of"} runs, estimated)`)),
        ),
      copies.length > 0 && h("h3", {}, "Copies"),
      copies.length > 0 && h("ul", {}, ...copies.map((copy) => h("li", {}, `${copy.bytes === null ? "" : bytes(copy.bytes)} for ${copy.purpose}: ${copy.because}`))),
      this.stages(),
    ];
  }
}

export function loopsOf(loops: [number, boolean][]): string {
  const of = (reduces: boolean): string => loops.filter(([, is]) => is === reduces).map(([trips]) => trips).join(" × ");
  const [plain, reduced] = [of(false), of(true)];
  return [plain, reduced && `reduces ${reduced}`].filter(Boolean).join(", ");
}

/** Separated by commas; long lists are cut. */
export function listed(all: Child[]): Child[] {
  const shown = all.slice(0, MOST_LINKS);
  const rest = all.length - shown.length;
  return [...shown.flatMap((one, at) => (at ? [", ", one] : [one])), rest > 0 && ` and ${rest} more`];
}

function facts(rows: [string, Child | Child[]][]): HTMLElement {
  const filled = rows.filter(([, value]) => (Array.isArray(value) ? value.some((one) => one !== false && one !== null) : value !== false && value !== null && value !== undefined && value !== ""));
  return h("dl", {}, ...filled.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, ...(Array.isArray(value) ? value : [value]))]));
}
