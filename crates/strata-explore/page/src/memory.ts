// The arena over time: temporaries as rectangles, from their offset up, from the first point at which they are live to the last.

import type { Arena, Temporary } from "./data";
import { h, replace, s, type Child } from "./dom";
import type { Details } from "./details";
import { listed } from "./details";
import type { Model } from "./model";
import type { State } from "./state";
import { bytes, count, share } from "./units";

const MOST_DRAWN = 2000;
const MOST_ROWS = 200;
const [WIDTH, HEIGHT] = [1000, 420];

export class MemoryView {
  readonly element: HTMLElement;
  private readonly told = h("div", { class: "told", role: "status" });
  private readonly shapes = new Map<number, SVGElement>();
  private readonly line = s("line", { class: "now", y1: 0, y2: HEIGHT });
  private readonly live = h("div");
  private times: number[] = [];
  private peak = 0;

  constructor(
    private readonly model: Model,
    private readonly state: State,
    private readonly details: Details,
  ) {
    const { arena, copies } = model.index;
    this.element = h(
      "div",
      { class: "scroll memory" },
      arena === null ? h("p", { class: "note" }, "The compilation did not reach the memory plan.") : arena.temporaries.length === 0 ? h("p", { class: "note" }, "The program needs no temporaries.") : this.picture(arena),
      h("h3", {}, copies.length ? `${count(copies.length, "tensor")} copied` : "No tensor is copied"),
      copies.length > 0 &&
        h(
          "table",
          { class: "wide" },
          h("thead", {}, h("tr", {}, ...["bytes", "of", "for", "because", "needed by"].map((head) => h("th", { scope: "col" }, head)))),
          h(
            "tbody",
            {},
            ...copies.slice(0, MOST_ROWS).map((copy) =>
              h("tr", {}, h("td", { class: "number" }, copy.bytes === null ? "not known" : bytes(copy.bytes)), h("td", {}, ...details.subject(copy.of)), h("td", {}, copy.purpose), h("td", {}, copy.because), h("td", {}, ...details.subject(copy.blame))),
            ),
          ),
        ),
      copies.length > MOST_ROWS && h("p", { class: "note" }, `${copies.length - MOST_ROWS} more.`),
    );
    this.selected();
  }

  private picture(arena: Arena): HTMLElement {
    const all = arena.temporaries;
    // Points count every operation of every loop: only where something begins or ends matters.
    this.times = [...new Set(all.flatMap(([, , first, last]) => [first, last + 1]))].sort((a, b) => a - b);
    const rank = new Map(this.times.map((time, at) => [time, at]));
    const x = (time: number): number => ((rank.get(time) ?? 0) / Math.max(1, this.times.length - 1)) * WIDTH;
    const y = (offset: number): number => HEIGHT - (offset / Math.max(1, arena.bytes)) * HEIGHT;
    const change = new Map<number, number>();
    for (const [, size, first, last] of all) {
      change.set(first, (change.get(first) ?? 0) + size);
      change.set(last + 1, (change.get(last + 1) ?? 0) - size);
    }
    let [most, sum] = [-1, 0];
    for (const time of this.times) {
      sum += change.get(time) ?? 0;
      if (sum > most) [most, this.peak] = [sum, time];
    }
    const order = all.map((_, at) => at).sort((a, b) => all[b][1] - all[a][1]);
    const drawn = order.slice(0, MOST_DRAWN).sort((a, b) => all[a][2] - all[b][2]);
    for (const at of drawn) {
      const [offset, size, first, last] = all[at];
      const [left, right, top, bottom] = [x(first), x(last + 1), y(offset + size), y(offset)];
      this.shapes.set(
        at,
        s(
          "rect",
          { class: "temporary", x: left, y: top, width: Math.max(1, right - left), height: Math.max(0.8, bottom - top), style: `--hue:${(at * 47) % 360}`, "data-at": at, click: () => this.choose(at) },
          s("title", {}, this.words(all[at])),
        ),
      );
    }
    const svg = s(
      "svg",
      { class: "arena", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "application", tabindex: 0, "aria-label": "The arena over time. Left and right move in time, up and down through what is live then." },
      ...this.shapes.values(),
      this.line,
    );
    this.line.setAttribute("x1", "0");
    let now = this.times.indexOf(this.peak);
    const show = (at: number): void => {
      now = Math.max(0, Math.min(this.times.length - 2, at));
      const middle = (x(this.times[now]) + x(this.times[now + 1] ?? this.times[now])) / 2;
      this.line.setAttribute("x1", String(middle));
      this.line.setAttribute("x2", String(middle));
      this.at(arena, this.times[now]);
    };
    svg.addEventListener("click", (event) => {
      const { left, width } = svg.getBoundingClientRect();
      show(Math.floor((((event as MouseEvent).clientX - left) / width) * Math.max(1, this.times.length - 1)));
    });
    let chosen = -1;
    svg.addEventListener("keydown", (event) => {
      const { key } = event as KeyboardEvent;
      if (key === "ArrowLeft" || key === "ArrowRight") {
        show(now + (key === "ArrowLeft" ? -1 : 1));
        chosen = -1;
      } else if (key === "ArrowUp" || key === "ArrowDown") {
        const time = this.times[now];
        const live = all.map((_, at) => at).filter((at) => all[at][2] <= time && time <= all[at][3]).sort((a, b) => all[a][0] - all[b][0]);
        if (live.length) {
          chosen = (live.indexOf(chosen) + (key === "ArrowUp" ? 1 : -1) + live.length) % live.length;
          chosen = live[chosen];
          this.choose(chosen);
        }
      } else if (key === "Home") show(this.times.indexOf(this.peak));
      else return;
      event.preventDefault();
    });
    show(now);
    const total = all.reduce((sum, [, size]) => sum + size, 0);
    return h(
      "div",
      {},
      h(
        "p",
        {},
        `${bytes(arena.bytes)} of workspace for ${count(all.length, "temporary", "temporaries")} of ${bytes(total)} in all: without sharing it would be ${arena.bytes ? (total / arena.bytes).toFixed(1) : 1} times as large. At the peak ${bytes(arena.peak)} are live, ${share(arena.peak, arena.bytes)} of the workspace.`,
        drawn.length < all.length ? ` The ${drawn.length} largest are drawn.` : "",
      ),
      h("div", { class: "axis" }, h("span", {}, bytes(arena.bytes)), svg, h("span", {}, "0"), h("span", { class: "time" }, "the program’s operations, in order →")),
      h("div", { class: "tools" }, h("button", { type: "button", click: () => show(this.times.indexOf(this.peak)) }, "To the peak")),
      this.told,
      this.live,
    );
  }

  private owner([, , , , nests, operations]: Temporary): Child[] {
    return operations.length || nests.length ? listed([...nests.map((at) => this.details.nestLink(at)), ...operations.map((at) => this.details.link(at))]) : ["not known"];
  }

  private words([offset, size, first, last, nests, operations]: Temporary): string {
    const { index } = this.model;
    const of = [...nests.map((at) => index.nests[at].name), ...operations.map((at) => `${this.model.title(at)} #${at}`)].slice(0, 6).join(", ");
    return `${bytes(size)} at ${offset}, first written by ${of || "what is not known"}; live from point ${first} to ${last}`;
  }

  private choose(at: number): void {
    const { arena } = this.model.index;
    if (!arena) return;
    const one = arena.temporaries[at];
    const sharing = arena.temporaries.filter((other) => other !== one && other[0] < one[0] + one[1] && one[0] < other[0] + other[1]);
    for (const [key, shape] of this.shapes) shape.classList.toggle("chosen", key === at);
    replace(this.told, h("strong", {}, this.words(one)), h("br"), "First written by ", ...this.owner(one), h("br"), sharing.length ? `It shares bytes with ${count(sharing.length, "temporary", "temporaries")} that are live at other times.` : "It shares its bytes with no other.");
  }

  /** Who is live at a point. */
  private at(arena: Arena, time: number): void {
    const live = arena.temporaries.map((one, at) => [one, at] as const).filter(([one]) => one[2] <= time && time <= one[3]);
    live.sort((a, b) => b[0][1] - a[0][1]);
    const sum = live.reduce((sum, [one]) => sum + one[1], 0);
    const point = arena.points.findLast(([at]) => at <= time);
    const during = point && (point[1].length || point[2].length) ? listed([...point[1].map((at) => this.details.nestLink(at)), ...point[2].map((at) => this.details.link(at))]) : ["what is not known"];
    replace(
      this.live,
      h("h3", {}, `Live ${time === this.peak ? "at the peak" : "there"}: ${bytes(sum)}`),
      h("p", {}, "During ", ...during, ", or after it."),
      h(
        "table",
        { class: "wide" },
        h("thead", {}, h("tr", {}, ...["bytes", "at", "first written by", ""].map((head) => h("th", { scope: "col" }, head)))),
        h(
          "tbody",
          {},
          ...live.slice(0, MOST_ROWS).map(([one, at]) =>
            h("tr", {}, h("td", { class: "number" }, bytes(one[1])), h("td", { class: "number" }, one[0].toLocaleString("en")), h("td", {}, ...this.owner(one)), h("td", {}, h("button", { type: "button", class: "link", click: () => this.choose(at) }, "show"))),
          ),
        ),
      ),
    );
  }

  selected(): void {
    const { selection } = this.state;
    const { arena } = this.model.index;
    if (!arena) return;
    for (const [at, shape] of this.shapes) {
      const [, , , , nests, operations] = arena.temporaries[at];
      const is = selection !== null && (selection.kind === "nest" ? nests : operations).includes(selection.at);
      shape.classList.toggle("selected", is);
    }
  }
}
