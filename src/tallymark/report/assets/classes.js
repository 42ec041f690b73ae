// Shows one class in colour in every chart of the curves, and names it in their legends.
(function () {
  "use strict";
  const form = document.getElementById("class"), select = form.querySelector("select");
  const show = () => {
    document.querySelectorAll("figure.led").forEach((figure) => {
      const item = figure.querySelector(".legend li"), number = document.createElement("span");
      figure.querySelectorAll("[data-line]").forEach((part) => part.classList.toggle("lead", part.dataset.line === select.value));
      const own = Array.from(figure.querySelectorAll("g.lead")), lines = figure.querySelectorAll("g[data-line]");
      own.forEach((line) => lines[lines.length - 1].after(line));
      number.className = "faint";
      number.textContent = own.length ? own[0].dataset.number || "" : "not drawn here";
      if (item) item.replaceChildren(item.querySelector("svg"), select.selectedOptions[0].text + " ", number);
    });
  };
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  show();
})();
