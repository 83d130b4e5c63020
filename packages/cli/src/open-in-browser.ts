import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a file or an address with what the system uses for it. Where nothing is set up for that, nothing happens. */
export function openInBrowser(target: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  // A missing opener is no reason to fail: the path was printed.
  spawn(command, [...args, target], { stdio: "ignore", detached: true }).on("error", () => undefined).unref();
}
