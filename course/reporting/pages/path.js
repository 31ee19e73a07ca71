"use strict";
(() => {
  const key = "iteration-budget:done";
  const boxes = [...document.querySelectorAll("input[data-lesson]")];
  let done;
  try { done = new Set(JSON.parse(localStorage.getItem(key) || "[]")); } catch { return; }
  const show = () => {
    const next = boxes.find((box) => !box.checked);
    for (const box of boxes) {
      const card = box.closest("li");
      card.classList.toggle("is-done", box.checked);
      if (box === next) card.setAttribute("aria-current", "step"); else card.removeAttribute("aria-current");
    }
  };
  for (const box of boxes) {
    box.checked = done.has(box.dataset.lesson);
    box.closest("label").hidden = false;
    box.addEventListener("change", () => {
      if (box.checked) done.add(box.dataset.lesson); else done.delete(box.dataset.lesson);
      try { localStorage.setItem(key, JSON.stringify([...done])); } catch { /* nothing is kept then */ }
      show();
    });
  }
  show();
})();
