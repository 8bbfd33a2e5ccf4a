// Search for operations and nests, by name, type, scope or place.

import { h, replace } from "./dom";
import { scopes, type Model } from "./model";
import type { Selection, State } from "./state";

const MOST_FOUND = 40;

export class Search {
  readonly element: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly list = h("ul", { class: "found", id: "found", role: "listbox", "aria-label": "Found" });
  private found: Selection[] = [];
  private current = 0;
  private texts: string[] | null = null;

  constructor(
    private readonly model: Model,
    private readonly state: State,
    /** What is done once something was chosen. */
    private readonly chosen: () => void,
  ) {
    this.input = h("input", {
      type: "search",
      id: "search",
      placeholder: "Search  /",
      role: "combobox",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": "Search operations and nests",
      "aria-controls": "found",
      "aria-expanded": "false",
    });
    this.input.addEventListener("input", () => this.look());
    this.input.addEventListener("focus", () => this.look());
    this.input.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.element = h("div", { class: "search" }, this.input, this.list);
  }

  focus(): void {
    this.input.focus();
    this.input.select();
  }

  /** In lower case: what an operation can be found by. */
  private text(at: number): string {
    if (!this.texts) {
      this.texts = this.model.index.operations.map((operation, at) => {
        const places = operation.frames.map(([name, file, line]) => `${name ?? ""} ${file}:${line}`);
        const nests = operation.nests.map((nest) => this.model.index.nests[nest].name);
        return [`#${at}`, operation.name, ...operation.types, operation.label ?? "", ...nests, ...places].join("\n").toLowerCase();
      });
    }
    return this.texts[at];
  }

  private look(): void {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.found = [];
    this.current = 0;
    let more = 0;
    if (words.length) {
      const add = (one: Selection): void => {
        if (this.found.length < MOST_FOUND) this.found.push(one);
        else more += 1;
      };
      const { nests, operations } = this.model.index;
      nests.forEach((nest, at) => {
        const text = `${nest.name} ${nest.schedule ?? ""} ${nest.computes.join(" ")}`.toLowerCase();
        if (words.every((word) => text.includes(word))) add({ kind: "nest", at });
      });
      operations.forEach((_, at) => {
        const text = this.text(at);
        if (words.every((word) => text.includes(word))) add({ kind: "operation", at });
      });
    }
    this.show(words.length > 0, more);
  }

  private show(isOpen: boolean, more: number): void {
    const rows = this.found.map((one, at) => {
      const [title, second] = this.words(one);
      const row = h("li", { role: "option", id: `found-${at}`, "aria-selected": String(at === this.current), mousedown: () => this.choose(at) }, h("span", {}, title), h("small", {}, second));
      return row;
    });
    replace(this.list, ...rows, isOpen && !rows.length && h("li", { class: "note" }, "Nothing found."), more > 0 && h("li", { class: "note" }, `${more} more`));
    this.list.classList.toggle("open", isOpen);
    this.input.setAttribute("aria-expanded", String(isOpen));
    this.mark();
  }

  private words({ kind, at }: Selection): [string, string] {
    if (kind === "nest") {
      const nest = this.model.index.nests[at];
      return [nest.name, nest.schedule ?? "plain loops"];
    }
    const operation = this.model.operation(at);
    const place = operation.frames[0];
    return [`${this.model.title(at)} #${at} ${this.model.subtitle(at)}`, [scopes(operation).join("/"), place ? `${place[1].replace(/^.*\//, "")}:${place[2]}` : ""].filter(Boolean).join("  ")];
  }

  private mark(): void {
    [...this.list.querySelectorAll("[role=option]")].forEach((row, at) => {
      row.setAttribute("aria-selected", String(at === this.current));
      if (at === this.current) row.scrollIntoView({ block: "nearest" });
    });
    if (this.found.length) this.input.setAttribute("aria-activedescendant", `found-${this.current}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private key(event: KeyboardEvent): void {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!this.found.length) return;
      this.current = (this.current + (event.key === "ArrowDown" ? 1 : -1) + this.found.length) % this.found.length;
      this.mark();
    } else if (event.key === "Enter") {
      if (this.found.length) this.choose(this.current);
    } else return;
    event.preventDefault();
  }

  private choose(at: number): void {
    this.state.select(this.found[at]);
    this.close();
    this.input.blur();
    this.chosen();
  }

  private close(): void {
    this.list.classList.remove("open");
    this.input.setAttribute("aria-expanded", "false");
  }
}
