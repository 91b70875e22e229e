import { parse } from "./blocks";
import { nodeOf } from "./inline";

export function render(target: HTMLElement, source: string): void {
  const fragment = document.createDocumentFragment();
  for (const block of parse(source)) {
    fragment.append(nodeOf(block));
  }
  target.replaceChildren(fragment);
}

export function attach(editor: HTMLTextAreaElement, target: HTMLElement): void {
  editor.addEventListener("input", () => render(target, editor.value));
  render(target, editor.value);
}
