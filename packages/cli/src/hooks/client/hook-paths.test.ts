import { chmodSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { hookPaths } from "./hook-paths.ts";

const folders: string[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const long = `/home/${"x".repeat(120)}/.phasekit`;

it("keeps the socket in Phasekit's folder", () => {
  expect(hookPaths("/home/u/.phasekit").socket).toBe("/home/u/.phasekit/hooks.sock");
  expect(hookPaths("/home/u/.phasekit").control).toBe("/home/u/.phasekit/control.sock");
});

it("keeps a socket whose path would be too long in a folder that only its user can open", () => {
  const folder = mkdtempSync(join(tmpdir(), "pk-tmp-"));
  folders.push(folder);
  vi.stubEnv("TMPDIR", folder);
  const { socket } = hookPaths(long);
  expect(socket.length).toBeLessThan(100);
  expect(dirname(dirname(socket))).toBe(folder);
  expect(lstatSync(dirname(socket)).mode & 0o077).toBe(0);
  // Someone else made it first, or opened it: it is not used.
  chmodSync(dirname(socket), 0o777);
  expect(hookPaths(long).socket.startsWith(folder)).toBe(false);
});
