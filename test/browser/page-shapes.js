// Lists what a page shows inside one element, as boxes and lines of text, for a drawing. Its value is an array of shapes in the order of painting.
(selector) => {
  const frame = document.querySelector(selector);
  const origin = frame.getBoundingClientRect();
  const shapes = [];
  const round = (number) => Math.round(number * 10) / 10;
  const isSeen = (colour) => !/^rgba\(.*, 0\)$|^transparent$/.test(colour);

  const addBox = ({ x, y, width, height }, radius, paint) =>
    shapes.push({
      kind: "box",
      x: round(x - origin.x),
      y: round(y - origin.y),
      width: round(width),
      height: round(height),
      radius: Math.min(radius, height / 2),
      ...paint,
    });

  const addText = (text, { x, y, width, height }, style) =>
    shapes.push({
      kind: "text",
      text,
      x: round(x - origin.x),
      // The part of the line above the baseline, in the font of the tests.
      y: round(y - origin.y + height * 0.797),
      width: round(width),
      size: round(Number.parseFloat(style.fontSize)),
      isBold: Number(style.fontWeight) >= 600,
      isCode: style.fontFamily.includes("ui-monospace"),
      fill: style.color,
    });

  function drawBox(element, style) {
    const box = element.getBoundingClientRect();
    const radius = Number.parseFloat(style.borderTopLeftRadius) || 0;
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
      side,
      width: style[`border${side}Style`] === "none" ? 0 : Number.parseFloat(style[`border${side}Width`]),
      colour: style[`border${side}Color`],
    }));
    const drawn = sides.filter(({ width, colour }) => width > 0 && isSeen(colour));
    const isFrame = drawn.length === 4;
    const fill = isSeen(style.backgroundColor) ? style.backgroundColor : undefined;
    const stroke = isFrame ? drawn[0].colour : undefined;
    if (fill || stroke) addBox(box, radius, { fill, stroke });
    if (isFrame) return;
    for (const { side, width, colour } of drawn) {
      const line = {
        x: side === "Right" ? box.right - width : box.x,
        y: side === "Bottom" ? box.bottom - width : box.y,
        width: side === "Left" || side === "Right" ? width : box.width,
        height: side === "Left" || side === "Right" ? box.height : width,
      };
      addBox(line, 0, { fill: colour });
    }
  }

  function drawField(field, style) {
    const box = field.getBoundingClientRect();
    if (field.matches("[type=checkbox], [type=radio]")) {
      const isRound = field.type === "radio";
      const fill = field.checked ? style.accentColor.replace("auto", style.color) : undefined;
      addBox(box, isRound ? box.height / 2 : 3, { fill, stroke: style.color });
      const { backgroundColor: color } = getComputedStyle(document.documentElement);
      const mark = { color, fontSize: `${box.height * 0.9}px`, fontWeight: 700, fontFamily: "" };
      if (field.checked)
        addText(isRound ? "●" : "✓", { ...box.toJSON(), x: box.x + box.width * 0.2, width: box.width * 0.6 }, mark);
      return;
    }
    drawBox(field, style);
    const text = field.matches("select") ? field.selectedOptions[0]?.text : field.value || field.placeholder;
    if (!text) return;
    const size = Number.parseFloat(style.fontSize);
    const left = box.x + Number.parseFloat(style.paddingLeft) + 1;
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.font = style.font;
    const { width } = canvas.measureText(text);
    addText(text, { x: left, y: box.y + box.height / 2 - size * 0.58, width, height: size * 1.164 }, style);
  }

  /** The words of a text node, with those of one line joined. */
  function drawText(node, style) {
    const range = document.createRange();
    let line;
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, line ? line.start : index);
      range.setEnd(node, index + word.length);
      const isSameLine = line && range.getClientRects().length === 1;
      if (!isSameLine) range.setStart(node, index);
      const start = isSameLine ? line.start : index;
      if (line && !isSameLine) addText(line.text, line.box, style);
      const [box] = range.getClientRects();
      line =
        box && box.width > 0
          ? { start, box, text: node.data.slice(start, index + word.length).replace(/\s+/g, " ") }
          : undefined;
    }
    if (line) addText(line.text, line.box, style);
  }

  function draw(element) {
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return;
    const { right, bottom } = element.getBoundingClientRect();
    if (right < origin.x || bottom < 0) return;
    const style = getComputedStyle(element);
    if (element.matches("input, select, textarea")) return drawField(element, style);
    drawBox(element, style);
    for (const child of element.childNodes) {
      if (child.nodeType === Node.TEXT_NODE) drawText(child, style);
      else if (child.nodeType === Node.ELEMENT_NODE && !child.matches("svg, img, script")) draw(child);
    }
  }
  draw(frame);
  return { shapes, width: Math.ceil(origin.width), height: Math.ceil(origin.height) };
};
