import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ["open"],
  // Not `cmd /c start`: cmd would take an & in an address for the end of the command.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a file or url with the default program of the system. Does nothing if there is none. */
export function openInBrowser(target: string): void {
  const [command, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  // A missing opener is not an error: the path was printed.
  spawn(command, [...args, target], { stdio: "ignore", detached: true })
    .on("error", () => undefined)
    .unref();
}
