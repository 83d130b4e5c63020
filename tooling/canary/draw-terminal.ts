/** Colors of the sixteen that the programs use, on a dark ground. */
const COLORS: Readonly<Record<string, string>> = {
  "31": "#ff7b72",
  "32": "#7ee787",
  "33": "#e3b341",
  "34": "#79c0ff",
  "35": "#d2a8ff",
  "36": "#76e3ea",
  "2": "#8b949e",
  "90": "#8b949e",
};
const INK = "#e6edf3";
const GROUND = "#0d1117";
const FAMILY = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const FONT = 13;
const LINE = 18;
const PADDING = 16;
/** The width of a character of the usual monospaced fonts, as a share of their size. */
const ADVANCE = 0.602;

interface Style {
  readonly color: string;
  readonly bold: boolean;
}

/** Draws the output of a terminal as an SVG picture: lines, colors and bold text. The last `exit` is left out. */
export function drawTerminal(output: string, { columns }: { readonly columns: number }): string {
  const lines = linesOf(output);
  const width = Math.ceil(columns * FONT * ADVANCE) + 2 * PADDING;
  const height = lines.length * LINE + 2 * PADDING;
  const rows = lines.map((line, index) => {
    const y = PADDING + (index + 1) * LINE - 5;
    return `<text x="${String(PADDING)}" y="${String(y)}" xml:space="preserve">${spansOf(line)}</text>`;
  });
  const size = `width="${String(width)}" height="${String(height)}" viewBox="0 0 ${String(width)} ${String(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FAMILY}" font-size="${String(FONT)}">
<rect width="100%" height="100%" rx="8" fill="${GROUND}"/>
${rows.join("\n")}
</svg>
`;
}

function linesOf(output: string): readonly string[] {
  const lines = output
    // Everything but colors: cursor modes, titles.
    // eslint-disable-next-line no-control-regex -- terminals speak in control characters
    .replaceAll(/\u001b\][^\u0007]*\u0007|\u001b\[[?>][\d;]*[a-zA-Z]|\u001b\[[\d;]*[A-LN-Za-ln-z]|\u001b[=>78]/g, "")
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => line.slice(line.lastIndexOf("\r") + 1).trimEnd());
  const end = lines.findLastIndex((line) => line.endsWith("$ exit"));
  return end < 0 ? lines : lines.slice(0, end);
}

function spansOf(line: string): string {
  let style: Style = { color: INK, bold: false };
  // eslint-disable-next-line no-control-regex -- colors start with it
  const parts = line.split(/\u001b\[([\d;]*)m/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return part === "" ? "" : span(part, style);
      for (const code of part === "" ? ["0"] : part.split(";")) style = styleAfter(style, code);
      return "";
    })
    .join("");
}

function styleAfter(style: Style, code: string): Style {
  if (code === "0") return { color: INK, bold: false };
  if (code === "1") return { ...style, bold: true };
  if (code === "22") return { color: INK, bold: false };
  if (code === "39") return { ...style, color: INK };
  return { ...style, color: COLORS[code] ?? style.color };
}

function span(text: string, { color, bold }: Style): string {
  const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  return `<tspan fill="${color}"${bold ? ' font-weight="bold"' : ""}>${escaped}</tspan>`;
}
