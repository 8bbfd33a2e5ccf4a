// The table of nests, the most expensive first.

import { h } from "./dom";
import type { Details } from "./details";
import { loopsOf } from "./details";
import type { Model } from "./model";
import type { State } from "./state";
import { bytes, count, scaled, share, time } from "./units";

const MOST_ROWS = 400;

export class NestsView {
  readonly element: HTMLElement;
  private readonly rows = new Map<number, HTMLElement>();

  constructor(
    model: Model,
    private readonly state: State,
    details: Details,
  ) {
    const { nests, limits } = model.index;
    const measured = (at: number): number => model.measuredNests.get(at)?.share ?? 0;
    const { profile } = model.index;
    const order = nests.map((_, at) => at).sort((a, b) => measured(b) - measured(a) || nests[b].ns - nests[a].ns || a - b);
    const shown = order.slice(0, MOST_ROWS);
    for (const at of shown) {
      const nest = nests[at];
      const cost = model.nestCost(nest);
      const declined = nest.attempts.filter(([, reason]) => reason !== null);
      this.rows.set(
        at,
        h(
          "tr",
          {},
          h("th", { scope: "row" }, details.nestLink(at)),
          profile && h("td", { class: "bar", style: `--part:${(100 * measured(at)).toFixed(2)}%` }, share(measured(at), 1)),
          h("td", { class: "bar", style: `--part:${model.totalNs > 0 ? ((100 * nest.ns) / model.totalNs).toFixed(2) : 0}%` }, nest.ns > 0 ? `${time(nest.ns)} (${share(nest.ns, model.totalNs)})` : "–"),
          h("td", {}, h("code", {}, nest.schedule ?? "plain loops")),
          h("td", {}, loopsOf(nest.loops)),
          h("td", {}, nest.vectors.join(", ") || "none"),
          h("td", { class: "number" }, cost.flops ? `${cost.exact ? "" : "≤ "}${scaled(cost.flops, "flop")}` : ""),
          h("td", { class: "number" }, cost.flops && nest.ns > 0 ? share(cost.flops / nest.ns, limits.flops_per_ns) : ""),
          h("td", { class: "number" }, nest.scratch ? bytes(nest.scratch) : ""),
          h(
            "td",
            {},
            declined.length > 0 &&
              h("details", {}, h("summary", {}, count(declined.length, "candidate")), h("ul", {}, ...declined.map(([schedule, reason]) => h("li", {}, h("code", {}, schedule), `: ${reason}`)))),
          ),
        ),
      );
    }
    const heads = ["nest", ...(profile ? ["time, measured"] : []), "time, estimated", "schedule", "loops", "vectors", "arithmetic", "of the limit", "scratch", "declined"];
    this.element = h(
      "div",
      { class: "scroll" },
      nests.length === 0 && h("p", { class: "note" }, "The program has no nest."),
      order.length > shown.length && h("p", { class: "note" }, `The ${shown.length} most expensive of ${count(nests.length, "nest")}; search finds the others.`),
      nests.length > 0 && h("table", { class: "wide" }, h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, ...this.rows.values())),
      h("p", { class: "note" }, "Estimated times are the cost model’s, for one thread. The limit is that of its arithmetic: multiply-adds of f32 on whole vectors."),
    );
  }

  selected(): void {
    const { selection } = this.state;
    for (const [at, row] of this.rows) row.classList.toggle("selected", selection?.kind === "nest" && selection.at === at);
  }
}
