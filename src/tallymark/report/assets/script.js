// Looks up finished numbers and moves marks; it computes no metric.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const models = data.models;
  const by = (selector, from) => Array.from((from || document).querySelectorAll(selector));
  const charts = by("svg.chart");
  const span = (chart, axis) => chart.dataset[axis].split(" ").map(Number);
  const scale = (chart, axis) => {
    const [low, high, start, end] = span(chart, axis);
    return (v) => start + ((v - low) / (high - low)) * (end - start);
  };
  const inverse = (chart, axis) => {
    const [low, high, start, end] = span(chart, axis);
    return (px) => low + ((px - start) / (end - start)) * (high - low);
  };
  // Metrics come in thousandths.
  const fixed = (v) => (v === null ? "undefined" : (v / 1000).toFixed(3));
  const whole = (v) => v.toLocaleString("en", { maximumFractionDigits: 1 });
  const told = (t) => (t === "inf" ? "above every score" : t);

  // Below each curve stands its marked point, or the one under the pointer.
  const readout = (chart) => chart.parentElement.querySelector(".readout");
  const say = (chart, text) => { readout(chart).textContent = text || "\u00a0"; };
  const point = (chart, name, threshold, x, y) =>
    name + (threshold ? ", threshold " + threshold : "") + ": " +
    chart.dataset.xLabel + " " + x + ", " + chart.dataset.yLabel + " " + y;

  function place(chart, name, threshold, m) {
    const found = {
      roc: [m.specificity[0] === null ? null : 1000 - m.specificity[0], m.sensitivity[0]],
      pr: [m.sensitivity[0], m.precision[0]],
    }[chart.dataset.chart];
    if (!found) return;
    const mark = chart.querySelector(".marker");
    const there = found.every((v) => v !== null);
    mark.toggleAttribute("hidden", !there);
    if (there) {
      mark.setAttribute("cx", scale(chart, "x")(found[0] / 1000).toFixed(1));
      mark.setAttribute("cy", scale(chart, "y")(found[1] / 1000).toFixed(1));
    }
    chart.dataset.rest = point(chart, name, threshold, fixed(found[0]), fixed(found[1]));
    say(chart, chart.dataset.rest);
  }

  function cut(chart, t) {
    const mark = chart.querySelector(".cut");
    const [low, high] = span(chart, "x");
    const at = t === "inf" ? Infinity : Number(t);
    const there = at >= low && at <= high;
    mark.toggleAttribute("hidden", !there);
    if (there) mark.setAttribute("transform", "translate(" + scale(chart, "x")(at).toFixed(1) + " 0)");
  }

  const controls = document.getElementById("controls");
  if (controls && models.length) {
    const slider = document.getElementById("slider");
    const select = document.getElementById("model");

    // A step of the slider; before it is moved, the decisions as the rest of the page judges them.
    const step = (model, i) => {
      if (i === null) return model.given;
      const at = { t: model.t[i], m: {}, why: {} };
      ["tp", "fp", "fn", "tn"].forEach((k) => { at[k] = model[k][i]; });
      Object.keys(model.m).forEach((k) => {
        at.m[k] = model.m[k].map((a) => a[i]);
        at.why[k] = model.why[k][i];
      });
      return at;
    };
    const show = (moved) => {
      const which = select ? Number(select.value) : 0;
      const model = models[which];
      const at = step(model, moved ? Number(slider.value) : null);
      const threshold = told(at.t);
      document.getElementById("threshold-value").textContent = threshold;
      slider.setAttribute("aria-valuetext", "threshold " + threshold);
      document.getElementById("now").textContent = model.name + ", threshold " + threshold;
      by("[data-count]").forEach((cell) => { cell.textContent = whole(at[cell.dataset.count]); });
      by("[data-metric]").forEach((row) => {
        const name = row.dataset.metric;
        const [value, low, high] = at.m[name];
        row.cells[1].textContent = fixed(value);
        row.cells[2].textContent = value === null ? at.why[name]
          : low === null || high === null ? "" : fixed(low) + "\u00a0to\u00a0" + fixed(high);
      });
      charts.forEach((chart) => {
        if (chart.dataset.chart !== "scores") place(chart, model.name, threshold, at.m);
        else if (Number(chart.dataset.of) === which) cut(chart, at.t);
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
      const model = models[Number(chart.dataset.of)];
      if (model) cut(chart, model.given.t);
    });
    controls.hidden = false;
    start();
  }

  const field = data.field, chosen = document.getElementById("field-controls");
  if (field && chosen) {
    const slider = document.getElementById("prevalence");
    const show = () => {
      const i = Number(slider.value);
      document.getElementById("prevalence-value").textContent = field.p[i];
      slider.setAttribute("aria-valuetext", field.p[i]);
      by("[data-field]").forEach((row) => field.m[row.dataset.field].forEach((found, k) => {
        const [value, low, high] = found.map((a) => a[i]);
        const cell = row.cells[k + 1];
        cell.firstChild.textContent = fixed(value);
        cell.lastChild.textContent = value === null || low === null || high === null ? ""
          : fixed(low) + "\u00a0to\u00a0" + fixed(high);
      }));
    };
    slider.addEventListener("input", show);
    document.getElementById("prevalence-reset").addEventListener("click", () => {
      slider.value = field.start;
      show();
    });
    chosen.addEventListener("submit", (event) => event.preventDefault());
    chosen.hidden = false;
    show();
  }

  // The points that a path joins: straight, or in steps across and up or up and across.
  const corners = (d) => {
    const found = [], steps = /[HV]/.exec(d);
    const last = steps && steps[0] === "H" ? "V" : "H";
    let at = [0, 0];
    (d.match(/[MLHV][^MLHV]+/g) || []).forEach((part) => {
      const kind = part[0], value = part.slice(1);
      if (kind === "H") at = [Number(value), at[1]];
      else if (kind === "V") at = [at[0], Number(value)];
      else at = value.split(",").map(Number);
      if (kind === "M" || kind === "L" || kind === last) found.push(at);
    });
    return found;
  };

  // The point of a curve nearest to the pointer, in words below the chart.
  charts.forEach((chart) => {
    const curves = by("g[data-name]", chart).map((group) => {
      const line = group.querySelector("path.line");
      return {
        name: group.dataset.name,
        points: corners(line.getAttribute("d")),
        hints: line.dataset.hints ? line.dataset.hints.split(" ") : null,
        xs: line.dataset.xs ? line.dataset.xs.split(" ") : null,
        ys: line.dataset.ys ? line.dataset.ys.split(" ") : null,
      };
    });
    if (!curves.length || !readout(chart)) return;
    const x = inverse(chart, "x"), y = inverse(chart, "y");
    const rest = () => say(chart, chart.dataset.rest);
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
      if (!best || best.far > 1600) { rest(); return; }
      const t = best.c.hints ? told(best.c.hints[best.i]) : "";
      say(chart, point(chart, best.c.name, t,
        best.c.xs ? best.c.xs[best.i] : x(best.a).toFixed(3),
        best.c.ys ? best.c.ys[best.i] : y(best.b).toFixed(3)));
    });
    chart.addEventListener("pointerleave", rest);
  });

  // Rows of the long tables that hold the words looked for.
  const find = document.getElementById("find");
  if (find) {
    const rows = by(".all tbody tr").map((row) => ({ row, text: row.textContent.toLowerCase() }));
    find.addEventListener("input", () => {
      const words = find.value.toLowerCase().split(/\s+/);
      let shown = 0;
      rows.forEach(({ row, text }) => {
        row.hidden = !words.every((w) => text.includes(w));
        if (!row.hidden) shown += 1;
      });
      by(".family").forEach((f) => { f.hidden = !by("tbody tr", f).some((row) => !row.hidden); });
      document.getElementById("found").textContent = find.value ? shown + " of " + rows.length : "";
    });
    find.closest("p").hidden = false;
  }
})();
