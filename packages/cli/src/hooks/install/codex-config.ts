import { unexpectedSettings } from "../../errors.ts";
import { type ByteText, textToBytes } from "./byte-text.ts";
import { hookFile } from "./hook-entries.ts";

/** Codex's configuration with the server whose tool the hooks call, and the exact block that was added. */
interface WithServer {
  readonly bytes: ByteText;
  readonly block: ByteText;
}

/** Options for the block of Codex's configuration. */
interface BlockOptions {
  readonly root: string;
  /** The block that an earlier installation added. */
  readonly recorded?: ByteText | undefined;
}

/** Any header of a table with our server's name. */
const SERVER = /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?phasekit["']?[ \t]*[\].]/m;

/**
 * Adds our server to Codex's configuration, between two marks; an earlier block of ours is replaced in its place.
 * @throws UNEXPECTED_SETTINGS if the user has a server of this name
 */
export function withMcpServer(
  { path, bytes }: { readonly path: string; readonly bytes: ByteText | undefined },
  { node, ...options }: BlockOptions & { readonly node: string },
): WithServer {
  const lineEnd = bytes?.includes("\r\n") === true ? "\r\n" : "\n";
  const block = [
    "# phasekit: begin",
    "[mcp_servers.phasekit]",
    `command = ${tomlText(node)}`,
    argsLine(options.root),
    "# phasekit: end",
    "",
  ].join(lineEnd);
  const found = findBlock(bytes ?? "", options);
  const [before, after] = found === undefined ? [bytes ?? "", ""] : cut(bytes ?? "", found);
  if (SERVER.test(before + after)) throw unexpectedSettings(path, "mcp_servers.phasekit", "Phasekit's own");
  const lead = found === undefined ? (bytes === undefined ? "" : lineEnd) : (/^\r?\n/.exec(found)?.[0] ?? "");
  return { bytes: before + lead + block + after, block: lead + block };
}

/** Removes the block that was added, or that an earlier version added. */
export function withoutMcpServer(bytes: ByteText, options: BlockOptions): ByteText {
  const found = findBlock(bytes, options);
  return found === undefined ? bytes : cut(bytes, found).join("");
}

function cut(bytes: ByteText, block: ByteText): readonly [ByteText, ByteText] {
  const start = bytes.indexOf(block);
  return [bytes.slice(0, start), bytes.slice(start + block.length)];
}

/** The block as it was recorded, or in the exact shape that earlier versions wrote. */
function findBlock(bytes: ByteText, { root, recorded }: BlockOptions): ByteText | undefined {
  if (recorded !== undefined && recorded !== "" && bytes.includes(recorded)) return recorded;
  const args = argsLine(root).replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  const shape = [
    "(?:\\r?\\n)?# phasekit: begin",
    "\\[mcp_servers\\.phasekit\\]",
    String.raw`command = "(?:[^"\\\r\n]|\\.)*"`,
    args,
    "# phasekit: end",
  ];
  return new RegExp(`${shape.join("\\r?\\n")}\\r?\\n`).exec(bytes)?.[0];
}

function argsLine(root: string): ByteText {
  return `args = [${[hookFile(root), "mcp", "codex"].map(tomlText).join(",")}]`;
}

/** A text of TOML; JSON writes the same, but for one character. */
function tomlText(text: string): ByteText {
  return textToBytes(JSON.stringify(text).replaceAll("\u007F", String.raw`\u007F`));
}
