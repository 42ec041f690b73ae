// Moves marks, reads curves out, and shows what the formulas say of other settings.
// Intervals are looked up, never computed.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("data").textContent);
  const models = data.models || [];
  // Whole numbers are packed as their differences: a letter is a small one, _ is no number.
  const unpack = (text) => {
    let last = 0;
    return text.match(/[+-]\d+|\w/g).map((w) => {
      const code = w.charCodeAt(0);
      if (w === "_") return null;
      last += code > 96 ? code - 97 : code > 64 ? 64 - code : Number(w);
      return last;
    });
  };
  const numbers = (text) => text && (text.includes(" ") ? text.split(" ").map(Number) : unpack(text));
  const opened = (v) => (typeof v === "string" ? unpack(v) : typeof v === "object" && v ? Object.keys(v).reduce((to, n) => {
    to[n] = opened(v[n]);
    return to;
  }, Array.isArray(v) ? [] : {}) : v);
  models.forEach((m) => {
    ["tp", "fp", "m", "f"].forEach((n) => { m[n] = opened(m[n]); });
    m.t = m.t.split(" ");
    // Where a threshold is on the slider: that above every score at its end, beyond the axis.
    const [low, high] = m.axis;
    m.end = high + (high - low) / 40;
    m.place = (t) => (t === "inf" ? m.end : Number(t));
    m.at = m.t.map(m.place);
  });
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
  const byId = (id) => document.getElementById(id);
  const fixed = (v, digits) => v.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
  const whole = (v) => v.toLocaleString("en", { maximumFractionDigits: 1 }).replace(/^-0$/, "0").replace("-", "−");
  const told = (t) => (t === "inf" ? "above every score" : t);
  const share = (v) => (100 * v).toLocaleString("en", { maximumSignificantDigits: 3 }) + " %";

  // Below each curve stands its marked point, or the one under the pointer.
  const readout = (chart) => chart.parentElement.querySelector(".readout");
  const say = (chart, text) => { readout(chart).textContent = text || "\u00a0"; };
  const point = (chart, name, threshold, x, y) =>
    name + (threshold ? ", threshold " + threshold : "") + ": " +
    chart.dataset.xLabel + " " + x + ", " + chart.dataset.yLabel + " " + y;

  const cells = (c) => "(TP " + whole(c.tp) + ", FP " + whole(c.fp) + ", FN " + whole(c.fn) + ", TN " + whole(c.tn) + ")";

  // Where a model stands on a curve: at the threshold that it has now.
  const places = {
    roc: (m) => [m.specificity === null ? null : 1 - m.specificity, m.sensitivity],
    pr: (m) => [m.sensitivity, m.precision],
    expected_cost: (m, c, t, chart) => [t === "inf" ? span(chart, "x")[1] : isNaN(t) ? null : Number(t),
      (byId("cost-fn").defaultValue * c.fn + byId("cost-fp").defaultValue * c.fp) / data.rows],
  };
  function place(chart, mark, found) {
    const there = found.every((v) => v !== null);
    mark.toggleAttribute("hidden", !there);
    if (!there) return;
    mark.setAttribute("cx", scale(chart, "x")(found[0]).toFixed(1));
    mark.setAttribute("cy", scale(chart, "y")(found[1]).toFixed(1));
  }

  function cut(chart, t) {
    const mark = chart.querySelector(".cut");
    const [low, high] = span(chart, "x");
    const at = t === "inf" ? Infinity : Number(t);
    const there = at >= low && at <= high;
    mark.toggleAttribute("hidden", !there);
    if (there) mark.setAttribute("transform", "translate(" + scale(chart, "x")(at).toFixed(1) + " 0)");
  }

  // A model's counts and metrics at a step of its thresholds, null for its decisions as judged.
  function count(k, step, prevalence, cases) {
    const m = models[k], [tp, fp] = step === null ? [m.given.tp, m.given.fp] : [m.tp[step], m.fp[step]];
    return countsOf(tp, fp, m.positives, m.negatives, prevalence === undefined ? data.own : prevalence, cases || data.rows);
  }
  function at(k, step, prevalence, cases) {
    const counts = count(k, step, prevalence, cases), values = {};
    Object.keys(formulas).forEach((name) => { values[name] = formulas[name](counts); });
    return { counts, values };
  }

  // The bounds of a metric, looked up; null where none were computed.
  function bounds(k, step, prevalence, name) {
    const model = models[k];
    if (prevalence === data.own || data.kept.includes(name)) {
      return step === null ? model.given.m[name] : model.m[name] ? model.m[name].map((a) => a[step]) : null;
    }
    const i = data.p.indexOf(prevalence);
    const found = (step === null ? model.given.f : model.f)[name];
    return i < 0 || !found ? null : found.map((a) => (step === null ? a[i] : a[i][step]));
  }

  const controls = byId("controls");
  // sets a model's threshold by the step nearest to a score
  let choose = null;
  if (controls && models.length) {
    const slider = byId("slider"), select = byId("model"), settings = byId("settings");
    // A campaign begins with its budget, all else with the decisions as judged.
    const start = models.map((m) => (m.begin === undefined ? null : m.begin)), steps = start.slice();
    const fields = { p: "prevalence", fn: "cost-fn", fp: "cost-fp", n: "cases", act: "capacity" };
    const input = (key) => byId(fields[key]);
    const usual = { p: String(Number((100 * data.own).toPrecision(4))), fn: input("fn").value, fp: input("fp").value, n: String(data.rows), act: "" };
    // What a field may hold: its least, what it stays below, and both in words.
    const may = {
      p: [0.01, 100, "a percentage from 0.01 to below 100"],
      fn: [0, 1e99, "an amount, 0 or more"],
      fp: [0, 1e99, "an amount, 0 or more"],
      n: [1, 1e99, "a number of cases, 1 or more"],
      act: [0, 1e99, "a number of cases, or nothing for all"],
    };
    // A decimal comma is read as a point; in counts both may part thousands.
    const number = (key, given) => {
      let text = given.replace(/\s/g, "");
      if ("n act".includes(key) && /^\d{1,3}([.,]\d{3})+$/.test(text)) text = text.replace(/[.,]/g, "");
      const v = Number(text.replace(",", "."));
      return text && v >= may[key][0] && v < may[key][1] ? v : null;
    };
    // The last good text of each field is in force; beside another one stands what it may hold.
    const force = { ...usual }, notes = {};
    const good = (key) => number(key, force[key]);
    const check = (key) => {
      const given = input(key).value.trim(), fits = given === usual[key] || number(key, given) !== null;
      if (fits) force[key] = given;
      input(key).setAttribute("aria-invalid", !fits);
      const text = fits ? "" : "Give " + may[key][2] + "; " + (force[key] || "all") + " stays in force.";
      if (notes[key].textContent !== text) notes[key].textContent = text;
    };
    Object.keys(fields).forEach((key) => {
      const note = document.createElement("small");
      note.id = fields[key] + "-note";
      note.setAttribute("role", "alert");
      input(key).inputMode = "decimal";
      input(key).setAttribute("aria-describedby", note.id);
      input(key).parentElement.append(note);
      notes[key] = note;
    });
    const which = () => (select ? Number(select.value) : 0);
    const marks = (chart) => {
      const first = chart.querySelector(".marker");
      if (!first.dataset.model) {
        models.forEach((_, k) => {
          const mark = k ? first.cloneNode() : first;
          mark.dataset.model = k;
          mark.classList.add("s" + (k % 8));
          if (k) first.after(mark);
        });
      }
      return by(".marker", chart);
    };

    // The lowest threshold that keeps to the capacity, and the one that costs least: of equal ones
    // the highest, unless it calls no case positive.
    const best = (k, prevalence, worthOf) => {
      let found = null;
      models[k].t.forEach((_, i) => {
        const c = count(k, i, prevalence, good("n"));
        const worth = worthOf(c);
        const gain = found ? found.worth - worth : Infinity, tie = 1e-9 * Math.abs(worth);
        const better = gain > tie || (gain >= -tie && c.tp + c.fp > 0);
        if (worth !== null && better) found = { i, worth, counts: c };
      });
      return found;
    };
    const sentence = (item, text, step) => {
      item.hidden = !text;
      item.firstChild.textContent = text;
      const button = item.querySelector("button");
      button.hidden = step === null;
      button.dataset.step = step;
      if (step !== null) button.textContent = "Use " + told(models[which()].t[step]);
    };
    // The same without a threshold of its own: as judged, with every case called positive, with none.
    const ways = (k, prevalence, cost, amount) => {
      const m = models[k], n = good("n"), p = prevalence;
      const without = (tp, fp) => amount(cost(countsOf(tp, fp, m.positives, m.negatives, p, n)));
      return (steps[k] === null ? " (" : " (" + amount(cost(count(k, null, p, n))) + " as judged, ") +
        without(m.positives, m.negatives) + " if every case is called positive, " + without(0, 0) + " if none is). ";
    };
    const others = (k, prevalence, cost, amount) => (models.length < 2 ? "" : " At their best: " +
      models.map((m, i) => m.name + " " + amount(best(i, prevalence, cost).worth)).join(", ") + ".");
    // What the decisions cost: errors, or contacts less what the responses earn.
    const judge = (k, prevalence, counts) => {
      const [fn, fp, cases, act] = ["fn", "fp", "n", "act"].map(good);
      const cost = (c) => (data.profit ? fp * (c.tp + c.fp) - fn * c.tp : fn * c.fn + fp * c.fp);
      const [costs, within] = byId("costs").children;
      byId("costs").hidden = false;
      const cheapest = best(k, prevalence, cost), now = cost(counts);
      const least = now <= cheapest.worth + 1e-9 * Math.abs(cheapest.worth);
      const amount = (v) => whole(data.profit ? -v : v), most = data.profit ? "highest" : "least";
      sentence(costs, (data.profit ? "The profit is " : "Errors cost ") +
        amount(now) + " per " + whole(cases) + " cases" + ways(k, prevalence, cost, amount) +
        (least ? "This is the " + most + " of any threshold" : "The " + most + " of any threshold is " +
          amount(cheapest.worth) + " at " + told(models[k].t[cheapest.i])) +
        "; expect slightly " + (data.profit ? "less" : "more") + " on new rows." + others(k, prevalence, cost, amount),
        least ? null : cheapest.i);
      if (data.profit) {
        const every = models[k].t.map((_, i) => count(k, i, prevalence, cases));
        profitByDepth(every, counts, cost, share, whole);
      }
      const called = counts.tp + counts.fp, keeps = (c) => c.tp + c.fp <= act * (1 + 1e-9);
      if (act === null) return sentence(within, "", null);
      const lowest = best(k, prevalence, (c) => (!keeps(c) ? null : data.profit ? cost(c) : -c.tp - c.fp));
      const text = whole(called) + " of " + whole(cases) + " cases are called positive, " +
        (keeps(counts) ? "within" : "more than") + " the " + whole(act) + " you can act on. ";
      sentence(within, text + (!lowest ? "No threshold of the slider keeps to that." :
        (data.profit ? "The most profitable" : "The lowest") + " threshold of the slider that keeps to that is " +
        told(models[k].t[lowest.i]) + ": it finds " + share(lowest.counts.tp / (lowest.counts.tp + lowest.counts.fn)) +
        " of the positives" + (data.profit ? " and earns " + amount(lowest.worth) : "") + "."), lowest ? lowest.i : null);
    };

    // The slider has the axis of the model's thresholds, with round numbers below it.
    let scaled = null;
    const scaleOf = (k) => {
      const { axis: [low, high], end } = models[k];
      const marks = roundNumbers(low, high).map((v) => {
        const mark = document.createElement("span");
        mark.textContent = v;
        mark.style.left = (100 * (v - low)) / (end - low) + "%";
        return mark;
      });
      byId("ticks").replaceChildren(...marks);
      slider.min = low;
      slider.max = end;
      scaled = k;
    };

    // Matrices of models follow: their counts, shares and shades, and the rule that they state.
    const matrices = by("table.matrix:not(.live)").map((table) => {
      const rule = table.caption.querySelector("strong").nextSibling;
      return { rule, own: rule.data, k: models.findIndex((m) => m.name === rule.previousSibling.textContent),
        rows: by("tbody tr", table).map((row) => by("td", row).slice(0, 2)) };
    }).filter((m) => m.k >= 0);
    const follow = ({ rule, own, k, rows }) => {
      const step = steps[k], c = count(k, step), t = step === null ? "" : models[k].t[step];
      rule.data = step === null ? own : (t === "inf" ? ": no row is called positive" : ": scores at or above " + t + " are positive") +
        own.slice(own.indexOf(". Rows"));
      [[c.tp, c.fn], [c.fp, c.tn]].forEach((pair, i) => pair.forEach((n, j) => {
        const cell = rows[i][j], part = n / (pair[0] + pair[1]);
        cell.firstChild.data = whole(n);
        cell.querySelector("small").textContent = (100 * part).toFixed(1) + " %";
        cell.className = n ? "bg"[Number(i === j)] + Math.ceil(5 * part) : "";
      }));
    };

    const show = (kept) => {
      const k = which(), model = models[k], step = steps[k], own = step === null;
      const p = good("p"), prevalence = force.p === usual.p ? data.own
        : data.p.find((v) => Math.abs(100 * v - p) < 1e-9) || p / 100;
      const { counts, values } = at(k, step, prevalence, good("n"));
      const t = own ? model.given.t : model.t[step], threshold = told(t);
      if (scaled !== k) scaleOf(k);
      slider.value = own && t !== "as given" ? t : model.at[own ? model.start : step];
      byId("threshold-value").textContent = threshold;
      slider.setAttribute("aria-valuetext", "threshold " + threshold);
      byId("now").textContent = model.name + (own ? model.given.now : (t === "inf" ? " above every score" : " at " + t) +
        (step === model.begin ? ", " + data.budget : "")) +
        (prevalence === data.own ? "" : ", prevalence " + share(prevalence));
      byId("reset").hidden = steps.every((v, i) => v === start[i]) && Object.keys(fields).every((key) => input(key).value === usual[key]);
      byId("reset").textContent = "Back to " + (data.budget || (own || isNaN(model.given.t) ? "the start" : model.given.t));
      byId("errors").textContent = (t === "as given" ? "As given, " : t === "inf" ? "Above every score, " : "At threshold " + t + ", ") +
        model.name + " misses " + whole(counts.fn) + " of " + whole(counts.tp + counts.fn) + " " + data.kinds[0] +
        " and raises a false alarm for " + whole(counts.fp) + " of " + whole(counts.fp + counts.tn) + " " + data.kinds[1] + ".";
      by("[data-count]").forEach((cell) => { cell.textContent = whole(counts[cell.dataset.count]); });
      matrices.forEach(follow);
      by("[data-metric]").forEach((row) => {
        const name = row.dataset.metric, value = values[name];
        const found = bounds(k, step, prevalence, name);
        // as judged, number and bounds are texts; elsewhere wide bounds are whole hundredths
        const judged = found && typeof found[0] === "string", none = !found || found[0] === null || found[1] === null;
        const digits = !none && found[1] - found[0] >= 100 && found[0] % 10 === 0 && found[1] % 10 === 0 ? 2 : 3;
        row.cells[1].textContent = value === null ? "undefined" : judged ? found[0] : fixed(value, digits);
        row.cells[2].textContent = value === null ? data.why[name] || ""
          : !found ? "not computed " + (model.m[name] ? "at this prevalence" : "for so many models") : none ? ""
          : judged ? found[1] : found.map((v) => fixed(v / 1000, digits)).join("\u00a0to\u00a0");
      });
      judge(k, prevalence, counts);
      charts.forEach((chart) => {
        const kind = chart.dataset.chart;
        if (places[kind] && chart.dataset.of === "") {
          const open = chart.dataset.xLabel === "threshold";
          marks(chart).forEach((mark) => {
            const i = Number(mark.dataset.model);
            mark.setAttribute("r", i === k ? 6 : 4);
            const { counts: c, values: m } = at(i, steps[i]);
            const found = places[kind](m, c, steps[i] === null ? models[i].given.t : models[i].t[steps[i]], chart);
            place(chart, mark, found);
            if (i !== k) return;
            const [x, y] = found.map((v) => (v === null ? "undefined" : fixed(v, 3)));
            chart.dataset.rest = point(chart, model.name, open ? "" : threshold, open ? threshold : x, y) + " " + cells(c);
            say(chart, chart.dataset.rest);
          });
        } else if (kind === "scores" && models[Number(chart.dataset.of)]) {
          const i = Number(chart.dataset.of);
          cut(chart, steps[i] === null ? models[i].given.t : models[i].t[steps[i]]);
        }
      });
      if (kept) keep(k);
    };

    // The settings stand in the address, so that a link shows them again.
    const keep = (k) => {
      const parts = [];
      if (k !== data.first) parts.push("m=" + k);
      steps.forEach((s, i) => { if (s !== start[i]) parts.push("t" + i + "=" + models[i].t[s]); });
      Object.keys(fields).forEach((key) => {
        if (force[key] !== usual[key]) parts.push(key + "=" + encodeURIComponent(force[key]));
      });
      const page = location.href.split("#")[0];
      try { history.replaceState(null, "", page + (parts.length ? "#" + parts.join("&") : "")); }
      catch (error) { /* a viewer that keeps no address */ }
    };
    const nearest = (k, place) => {
      let found = null, least = Infinity;
      models[k].at.forEach((v, i) => {
        const far = Math.abs(v - place);
        if (far < least) [found, least] = [i, far];
      });
      return found;
    };
    const fill = (key, text) => {
      input(key).value = text;
      check(key);
    };
    const read = () => {
      const settings = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
      Object.keys(fields).forEach((key) => {
        const given = settings.get(key);
        fill(key, given !== null && number(key, given) !== null ? given : usual[key]);
      });
      steps.forEach((_, i) => { steps[i] = settings.has("t" + i) ? nearest(i, models[i].place(settings.get("t" + i))) : start[i]; });
      if (select) select.value = models[settings.get("m")] ? settings.get("m") : data.first;
      show(false);
    };
    choose = (name, t) => {
      const k = models.findIndex((m) => m.name === name);
      const i = k < 0 ? null : nearest(k, models[k].place(t));
      if (i === null) return;
      if (select) select.value = k;
      steps[k] = i;
      show(true);
    };
    const set = (step) => { steps[which()] = step; show(true); };

    // While the slider is dragged the page is drawn once a frame, and the address is kept at the end.
    let drawn = true;
    slider.addEventListener("input", () => {
      steps[which()] = nearest(which(), Number(slider.value));
      if (drawn) requestAnimationFrame(() => { drawn = true; show(false); });
      drawn = false;
    });
    slider.addEventListener("change", () => keep(which()));
    slider.addEventListener("keydown", (event) => {
      const k = which(), last = models[k].t.length - 1, now = steps[k] === null ? models[k].start : steps[k];
      const to = { ArrowRight: now + 1, ArrowUp: now + 1, ArrowLeft: now - 1, ArrowDown: now - 1,
        PageUp: now + 10, PageDown: now - 10, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      steps[k] = Math.min(Math.max(to, 0), last);
      show(false);
    });
    slider.addEventListener("keyup", () => keep(which()));
    if (select) select.addEventListener("change", () => show(true));
    byId("reset").addEventListener("click", () => {
      start.forEach((s, i) => { steps[i] = s; });
      Object.keys(fields).forEach((key) => fill(key, usual[key]));
      show(true);
    });
    by("#costs button").forEach((b) => b.addEventListener("click", () => set(Number(b.dataset.step))));
    settings.addEventListener("input", () => {
      Object.keys(fields).forEach(check);
      show(true);
    });
    [controls, settings].forEach((form) => {
      form.addEventListener("submit", (event) => event.preventDefault());
      form.hidden = false;
    });
    window.addEventListener("hashchange", () => { if (location.hash.includes("=")) read(); });
    window.tallymark = { at, bounds };
    read();
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

  // A switch shows a fifth of both axes: where good classifiers are.
  const corner = { roc: [0, 0.8, "upper left"], pr: [0.8, 0.8, "upper right"] };
  charts.forEach((chart) => {
    const title = chart.parentElement.querySelector("h3"), found = corner[chart.dataset.chart];
    if (!found || !title || !readout(chart)) return;
    // Nothing is to be seen there of curves that stay away.
    const [x, y] = [inverse(chart, "x"), inverse(chart, "y")];
    const enters = ([a, b]) => x(a) > found[0] && x(a) < found[0] + 0.2 && y(b) > found[1] && y(b) < 1;
    if (!by("path.line", chart).some((line) => corners(line.getAttribute("d")).some(enters))) return;
    const [left, right] = span(chart, "x").slice(2), [bottom, top] = span(chart, "y").slice(2);
    const plot = document.createElementNS(chart.namespaceURI, "svg");
    plot.setAttribute("class", "plot");
    Object.entries({ x: left, y: top, width: right - left, height: bottom - top }).forEach(
      ([name, value]) => plot.setAttribute(name, value));
    plot.append(...Array.from(chart.children).filter((e) => !e.matches("title,desc,.grid,.ticks,.axis")));
    chart.append(plot);
    const ticks = by(".ticks text", chart).map((e) => ({ e, text: e.textContent, of: e.parentElement.getAttribute("text-anchor") === "end" ? 1 : 0 }));
    const button = document.createElement("button");
    button.type = "button";
    button.className = "zoom";
    button.textContent = "zoom to the " + found[2] + " corner";
    const zoom = (near) => {
      const part = near ? 0.2 : 1, from = near ? found : [0, 0];
      const x = scale(chart, "x")(from[0]), y = scale(chart, "y")(from[1] + part);
      plot.setAttribute("viewBox", [x, y, part * (right - left), part * (bottom - top)].join(" "));
      chart.classList.toggle("near", near);
      button.setAttribute("aria-pressed", String(near));
      ticks.forEach(({ e, text, of }) => { e.textContent = Number((from[of] + part * Number(text)).toFixed(3)); });
    };
    button.addEventListener("click", () => zoom(button.getAttribute("aria-pressed") !== "true"));
    title.append(button);
    zoom(false);
  });

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
        tp: numbers(line.dataset.tp),
        fp: numbers(line.dataset.fp),
        of: models.find((m) => m.name === group.dataset.name),
      };
    });
    if (!curves.length || !readout(chart)) return;
    const x = inverse(chart, "x"), y = inverse(chart, "y");
    let under = null;
    const rest = () => say(chart, chart.dataset.rest);
    const read = ({ c, i, a, b }) => {
      const counts = c.tp && c.of ? " " + cells({ tp: c.tp[i], fp: c.fp[i],
        fn: c.of.positives - c.tp[i], tn: c.of.negatives - c.fp[i] }) : "";
      say(chart, point(chart, c.name, c.hints ? told(c.hints[i]) : "",
        c.xs ? c.xs[i] : x(a).toFixed(3), c.ys ? c.ys[i] : y(b).toFixed(3)) + counts);
    };
    const set = (at) => {
      if (!at || !choose) return;
      if (at.c.hints) choose(at.c.name, at.c.hints[at.i]);
      else if (chart.dataset.xLabel === "threshold") choose(at.c.name, x(at.a));
    };
    chart.addEventListener("pointermove", (event) => {
      const drawn = chart.querySelector(".plot") || chart;
      const to = drawn.getScreenCTM();
      const { x: px, y: py } = new DOMPoint(event.clientX, event.clientY).matrixTransform(to.inverse());
      let best = null;
      curves.forEach((c) => c.points.forEach(([a, b], i) => {
        const far = (a - px) * (a - px) + (b - py) * (b - py);
        if (!best || far < best.far) best = { far, c, i, a, b };
      }));
      under = best && best.far * to.a * to.a <= 1600 ? best : null;
      if (under) read(under); else rest();
    });
    chart.addEventListener("pointerleave", rest);
    chart.addEventListener("click", () => set(under));

    // The arrow keys walk along a curve and from one to the next, Enter sets the threshold.
    const dot = document.createElementNS(chart.namespaceURI, "circle");
    dot.setAttribute("class", "probe");
    dot.setAttribute("r", 5);
    dot.toggleAttribute("hidden", true);
    (chart.querySelector(".plot") || chart).append(dot);
    let which = 0, i = 0;
    const here = () => ({ c: curves[which], i, a: curves[which].points[i][0], b: curves[which].points[i][1] });
    chart.tabIndex = 0;
    chart.addEventListener("keydown", (event) => {
      const along = { ArrowRight: 1, ArrowLeft: -1 }[event.key] || 0;
      const across = { ArrowDown: 1, ArrowUp: -1 }[event.key] || 0;
      if (event.key === "Enter" && !dot.hasAttribute("hidden")) return set(here());
      if (event.key === "Escape") return chart.blur();
      if (!along && !across) return;
      event.preventDefault();
      which = (which + across + curves.length) % curves.length;
      const last = curves[which].points.length - 1;
      i = Math.min(Math.max(dot.hasAttribute("hidden") ? 0 : i + along, 0), last);
      dot.toggleAttribute("hidden", false);
      dot.setAttribute("cx", here().a);
      dot.setAttribute("cy", here().b);
      readout(chart).removeAttribute("aria-hidden");
      readout(chart).setAttribute("aria-live", "polite");
      read(here());
    });
    chart.addEventListener("blur", () => { dot.toggleAttribute("hidden", true); rest(); });
  });

  // A name in a legend shows and hides its line and its band, in every chart that has them.
  by(".legend:not(.keys):not(.marks) li").forEach((item) => {
    const line = item.querySelector("svg"), chart = item.closest("figure").querySelector("svg.chart");
    const style = line && line.classList[0];
    const own = chart && style && chart.querySelector("g." + style + "[data-name]");
    const same = (c) => c.dataset.of === chart.dataset.of && by("g." + style + "[data-name]", c).some((g) => g.dataset.name === own.dataset.name);
    const drawn = own ? charts.filter(same).flatMap((c) => by("g." + style + "[data-name], .band.own." + style, c)) : [];
    if (!drawn.length || item.parentElement.children.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", "true");
    button.append(...item.childNodes);
    item.append(button);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      drawn.forEach((part) => { part.style.display = shown ? "" : "none"; });
    });
  });

  // Rows of the long tables that hold the words looked for.
  const find = document.getElementById("find");
  if (find) {
    // What a row says, and what else its metric is called.
    const called = (row) => {
      const key = (row.dataset.key || row.querySelector("[data-key]").dataset.key).split(".").pop();
      return " " + key.replace(/_/g, " ") + " " + (data.also[key] || "");
    };
    const rows = by(".all tbody tr").map((row) => ({ row, text: (row.textContent + called(row)).toLowerCase() }));
    const every = document.getElementById("every");
    find.addEventListener("input", () => {
      if (find.value) every.open = true;
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
