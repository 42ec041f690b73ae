// Draws profit against the share of cases that are contacted, and marks the present decisions.
const profitByDepth = (every, present, cost, share, whole) => {
  const box = document.getElementById("by-depth");
  box.hidden = false;
  const point = (c) => [(c.tp + c.fp) / (c.tp + c.fp + c.fn + c.tn), -cost(c)];
  const points = [[0, 0], ...every.map(point)].sort((a, b) => a[0] - b[0]), mine = point(present);
  const profits = [...points, mine].map((p) => p[1]);
  const low = Math.min(0, ...profits), high = Math.max(...profits, low + 1e-9);
  const x = (v) => (46 + 342 * v).toFixed(1), y = (v) => (116 - 96 * (v - low) / (high - low)).toFixed(1);
  const marks = roundNumbers(low, high);
  box.querySelector(".grid").setAttribute("d", marks.map((v) => "M46 " + y(v) + "H388").join(""));
  box.querySelector(".ticks").replaceChildren(...marks.map((v) => {
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "text");
    mark.setAttribute("x", 40);
    mark.setAttribute("y", Number(y(v)) + 4);
    mark.textContent = whole(v);
    return mark;
  }));
  const [zero, line] = box.querySelectorAll(".zero,.line"), mark = box.querySelector(".marker");
  zero.setAttribute("d", "M46 " + y(0) + "H388");
  line.setAttribute("d", "M" + points.map(([a, b]) => x(a) + "," + y(b)).join("L"));
  mark.setAttribute("cx", x(mine[0]));
  mark.setAttribute("cy", y(mine[1]));
  box.querySelector("figcaption").textContent = "The mark is the present threshold: contacting " +
    share(mine[0]) + " of the cases earns " + whole(mine[1]) + ". The line at 0 is no profit.";
};
