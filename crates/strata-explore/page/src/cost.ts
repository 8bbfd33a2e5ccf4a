// Costs: a treemap of operations in their scopes, and sums by kind.

import { hierarchy, treemap } from "d3-hierarchy";
import { h, replace, s } from "./dom";
import type { Group, Model } from "./model";
import type { State } from "./state";
import { bytes, count, scaled, share, time } from "./units";

const [WIDTH, HEIGHT] = [1000, 420];
const MOST_CELLS = 1200;

type Measure = "measured" | "time" | "flops" | "bytes";
interface Cell {
  title: string;
  operation?: number;
  value?: number;
  children?: Cell[];
}

export class CostView {
  readonly element: HTMLElement;
  private readonly map = h("div");
  private measure: Measure;

  constructor(
    private readonly model: Model,
    private readonly state: State,
  ) {
    const { index } = model;
    this.measure = index.profile ? "measured" : model.totalNs > 0 ? "time" : "flops";
    const choose = h(
      "select",
      { "aria-label": "Area" },
      index.profile && h("option", { value: "measured", selected: true }, "measured time"),
      h("option", { value: "time", selected: this.measure === "time" }, "estimated time"),
      h("option", { value: "flops", selected: this.measure === "flops" }, "arithmetic"),
      h("option", { value: "bytes" }, "bytes of operands and results"),
    );
    choose.addEventListener("change", () => {
      this.measure = choose.value as Measure;
      this.draw();
    });
    const kinds = new Map<string, { operations: Set<number>; flops: number; functions: number; bytes: number }>();
    for (const [of, flops, functions, moved] of index.costs) {
      const name = of.length ? index.operations[of[0]].name : "not known";
      let kind = kinds.get(name);
      if (!kind) kinds.set(name, (kind = { operations: new Set(), flops: 0, functions: 0, bytes: 0 }));
      for (const operation of of) kind.operations.add(operation);
      kind.flops += flops;
      kind.functions += functions;
      kind.bytes += moved;
    }
    const rows = [...kinds].sort(([, a], [, b]) => b.flops + b.functions - a.flops - a.functions || b.bytes - a.bytes);
    const { flops_per_ns, bytes_per_ns } = index.limits;
    const ideal = model.totalFlops / flops_per_ns;
    this.element = h(
      "div",
      { class: "scroll" },
      h(
        "p",
        {},
        `${scaled(model.totalFlops, "flop")}, ${bytes(model.totalBytes)} of operands and results before fusion: ${model.totalBytes ? (model.totalFlops / model.totalBytes).toPrecision(3) : 0} flop per byte. `,
        model.totalNs > 0 && `The nests take ${time(model.totalNs)} on one thread as the cost model estimates; at its limit for arithmetic (${scaled(flops_per_ns * 1e9, "flop/s")} on ${index.target.cpu}; memory ${scaled(bytes_per_ns * 1e9, "B/s")}) the arithmetic alone would take ${time(ideal)}, ${share(ideal, model.totalNs)}.`,
      ),
      h("div", { class: "tools" }, h("label", {}, "Area: ", choose)),
      this.map,
      h(
        "table",
        { class: "wide" },
        h("thead", {}, h("tr", {}, ...["operation", "number", "arithmetic", "share", "functions", "bytes", "share"].map((head) => h("th", { scope: "col" }, head)))),
        h(
          "tbody",
          {},
          ...rows.map(([name, kind]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              h("td", { class: "number" }, kind.operations.size),
              h("td", { class: "number" }, kind.flops ? scaled(kind.flops, "flop") : ""),
              h("td", { class: "number bar", style: `--part:${model.totalFlops ? ((100 * (kind.flops + kind.functions)) / model.totalFlops).toFixed(2) : 0}%` }, share(kind.flops + kind.functions, model.totalFlops)),
              h("td", { class: "number" }, kind.functions ? scaled(kind.functions, "") : ""),
              h("td", { class: "number" }, kind.bytes ? bytes(kind.bytes) : ""),
              h("td", { class: "number" }, share(kind.bytes, model.totalBytes)),
            ),
          ),
        ),
      ),
      h("p", { class: "note" }, "Arithmetic and bytes are counted on stage hlo, for one call of the program; docs/check.md has the rules. In the picture the time of a nest is at the one of its operations with most arithmetic."),
    );
  }

  shown(): void {
    this.draw();
  }

  private values(): Float64Array {
    const { index } = this.model;
    const values = new Float64Array(index.operations.length);
    if (this.measure === "measured") {
      for (const [at, { share }] of this.model.measuredOperations) values[at] = share;
      return values;
    }
    if (this.measure === "time") {
      // A nest's time is that of all of its operations: it is shown at the one with most arithmetic.
      for (const nest of index.nests) {
        const flops = (at: number): number => this.model.costs[at]?.flops ?? 0;
        const most = nest.operations.reduce((best, at) => (flops(at) > flops(best) ? at : best), nest.operations[0]);
        if (most !== undefined) values[most] += nest.ns;
      }
      return values;
    }
    for (const [of, flops, functions, moved] of index.costs) if (of.length) values[of[0]] += this.measure === "flops" ? flops + functions : moved;
    return values;
  }

  private draw(): void {
    const values = this.values();
    const total = values.reduce((sum, value) => sum + value, 0);
    const largest = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, MOST_CELLS);
    const kept = new Set(largest.filter((at) => values[at] > 0));
    // A group without one of the largest is part of what is left of the group around it.
    const cell = (node: Group | number): { own?: Cell; rest: number; operations: number } => {
      if (typeof node === "number") {
        if (kept.has(node)) return { own: { title: this.model.title(node), operation: node, value: values[node] }, rest: 0, operations: 0 };
        return { rest: values[node], operations: values[node] > 0 ? 1 : 0 };
      }
      const children: Cell[] = [];
      let [rest, operations] = [0, 0];
      for (const child of node.children) {
        const inner = cell(child);
        if (inner.own) children.push(inner.own);
        rest += inner.rest;
        operations += inner.operations;
      }
      if (!children.length) return { rest, operations };
      if (operations) children.push({ title: count(operations, "smaller operation"), value: rest });
      return { own: { title: node.title, children }, rest: 0, operations: 0 };
    };
    const root = cell(this.model.tree(this.model.hasScopes ? "scopes" : "nests", true)).own;
    if (!root) {
      replace(this.map, h("p", { class: "note" }, "Nothing to draw."));
      return;
    }
    const laid = treemap<Cell>().size([WIDTH, HEIGHT]).paddingInner(1).paddingTop((node) => (node.depth > 0 && node.children ? 14 : 0))(
      hierarchy(root).sum((one) => one.value ?? 0).sort((a, b) => (b.value ?? 0) - (a.value ?? 0)),
    );
    const seconds = this.model.index.profile?.seconds;
    const measured = (value: number): string => (seconds ? time(value * seconds * 1e9) : "samples");
    const words = (value: number): string => (this.measure === "measured" ? measured(value) : this.measure === "time" ? time(value) : this.measure === "flops" ? scaled(value, "flop") : bytes(value));
    const shapes = laid.descendants().flatMap((node) => {
      const [width, height] = [node.x1 - node.x0, node.y1 - node.y0];
      if (!node.depth || width < 0.5 || height < 0.5) return [];
      const { operation, title } = node.data;
      const of = operation === undefined ? title : `${title} #${operation}`;
      const label = width > 40 && height > 12 ? s("text", { x: node.x0 + 4, y: node.y0 + 11 }, of.slice(0, Math.floor((width - 6) / 6.2))) : null;
      const hue = [...title].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);
      return [
        s(
          "g",
          { class: operation === undefined ? "cell group" : "cell", click: operation === undefined ? null : () => this.state.select({ kind: "operation", at: operation }) },
          s("rect", { x: node.x0, y: node.y0, width, height, style: `--hue:${hue}` }),
          s("title", {}, `${of}: ${words(node.value ?? 0)}, ${share(node.value ?? 0, total)}`),
          label,
        ),
      ];
    });
    const top = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 10).filter((at) => values[at] > 0);
    replace(
      this.map,
      s("svg", { class: "treemap", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Treemap of ${count(shapes.length, "cell")}; the list below has the largest` }, ...shapes),
      h(
        "ol",
        { class: "top" },
        ...top.map((at) => h("li", {}, h("button", { type: "button", class: "link", click: () => this.state.select({ kind: "operation", at }) }, `${this.model.title(at)} #${at}`), ` ${words(values[at])}, ${share(values[at], total)}`)),
      ),
    );
  }
}
