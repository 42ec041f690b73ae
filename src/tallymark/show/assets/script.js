// Looks up finished numbers and moves marks; it computes no metric.
(function () {
  "use strict";
  const models = JSON.parse(document.getElementById("data").textContent).models;
  const by = (selector) => Array.from(document.querySelectorAll(selector));
  const charts = by("svg.chart");
  const scale = (chart, axis) => {
    const [low, high, start, end] = chart.dataset[axis].split(" ").map(Number);
    return (v) => start + ((v - low) / (high - low)) * (end - start);
  };
  // Metrics come in thousandths.
  const fixed = (v) => (v === null ? "undefined" : (v / 1000).toFixed(3));
  const whole = (v) => v.toLocaleString("en", { maximumFractionDigits: 1 });

  function place(chart, model, i) {
    const of = (name) => (model.m[name][0][i] === null ? null : model.m[name][0][i] / 1000);
    const at = {
      roc: [1 - of("specificity"), of("sensitivity")],
      pr: [of("sensitivity"), of("precision")],
    }[chart.dataset.chart];
    const mark = chart.querySelector(".marker");
    if (!at || !mark) return;
    const there = at.every((v) => v !== null);
    mark.toggleAttribute("hidden", !there);
    if (!there) return;
    mark.setAttribute("cx", scale(chart, "x")(at[0]).toFixed(1));
    mark.setAttribute("cy", scale(chart, "y")(at[1]).toFixed(1));
  }

  function cut(chart, model, i) {
    const mark = chart.querySelector(".cut");
    const t = model.t[i] === "inf" ? Infinity : Number(model.t[i]);
    const [low, high] = chart.dataset.x.split(" ").map(Number);
    const there = t >= low && t <= high;
    mark.toggleAttribute("hidden", !there);
    if (there) mark.setAttribute("transform", "translate(" + scale(chart, "x")(t).toFixed(1) + " 0)");
  }

  const controls = document.getElementById("controls");
  if (controls && models.length) {
    const slider = document.getElementById("slider");
    const select = document.getElementById("model");
    const told = (model, i) => (model.t[i] === "inf" ? "above every score" : model.t[i]);

    // At the start stand the decisions as the rest of the page judges them.
    const show = (moved) => {
      const which = select ? Number(select.value) : 0;
      const model = models[which];
      const i = Number(slider.value);
      const given = moved ? null : model.given;
      const threshold = given ? given.t : told(model, i);
      document.getElementById("threshold-value").textContent = threshold;
      slider.setAttribute("aria-valuetext", "threshold " + threshold);
      document.getElementById("now").textContent = model.name + ", threshold " + threshold;
      by("[data-count]").forEach((cell) => {
        cell.textContent = whole(given ? given[cell.dataset.count] : model[cell.dataset.count][i]);
      });
      by("[data-metric]").forEach((row) => {
        const name = row.dataset.metric;
        const [value, low, high] = given ? given.m[name] : model.m[name].map((a) => a[i]);
        row.cells[1].textContent = fixed(value);
        row.cells[2].textContent = value === null || low === null || high === null ? "" : fixed(low) + " to " + fixed(high);
      });
      charts.forEach((chart) => {
        if (chart.dataset.chart !== "scores") place(chart, model, i);
        else if (Number(chart.dataset.key) === which) cut(chart, model, i);
      });
    };
    const start = () => {
      const model = models[select ? Number(select.value) : 0];
      slider.max = model.t.length - 1;
      slider.value = model.start;
      show(false);
    };
    slider.addEventListener("input", () => show(true));
    if (select) select.addEventListener("change", start);
    document.getElementById("reset").addEventListener("click", start);
    controls.addEventListener("submit", (event) => event.preventDefault());
    charts.filter((c) => c.dataset.chart === "scores").forEach((chart) => {
      const model = models[Number(chart.dataset.key)];
      if (model) cut(chart, model, model.start);
    });
    controls.hidden = false;
    start();
  }

  // The point of a curve nearest to the pointer, in words below the chart.
  charts.forEach((chart) => {
    const readout = chart.parentElement.querySelector(".readout");
    const curves = Array.from(chart.querySelectorAll("g[data-name]")).map((group) => {
      const line = group.querySelector("polyline");
      return {
        name: group.dataset.name,
        points: line.getAttribute("points").split(" ").map((p) => p.split(",").map(Number)),
        hints: line.dataset.hints ? line.dataset.hints.split(" ") : null,
      };
    });
    if (!curves.length || !readout) return;
    const inverse = (axis) => {
      const [low, high, start, end] = chart.dataset[axis].split(" ").map(Number);
      return (px) => low + ((px - start) / (end - start)) * (high - low);
    };
    const x = inverse("x"), y = inverse("y");
    chart.addEventListener("pointermove", (event) => {
      const box = chart.getBoundingClientRect();
      const view = chart.viewBox.baseVal;
      const px = ((event.clientX - box.left) / box.width) * view.width;
      const py = ((event.clientY - box.top) / box.height) * view.height;
      let best = null;
      curves.forEach((c) => c.points.forEach(([a, b], i) => {
        const far = (a - px) * (a - px) + (b - py) * (b - py);
        if (!best || far < best.far) best = { far, c, i, a, b };
      }));
      if (!best || best.far > 1600) { readout.textContent = "\u00a0"; return; }
      const t = best.c.hints ? ", threshold " + best.c.hints[best.i] : "";
      readout.textContent = best.c.name + ": " + x(best.a).toFixed(3) + ", " + y(best.b).toFixed(3) + t;
    });
    chart.addEventListener("pointerleave", () => { readout.textContent = "\u00a0"; });
  });
})();
