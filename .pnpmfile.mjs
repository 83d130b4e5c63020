// The condition under which the packages of this workspace import each other's sources; tooling/start.mjs sets it.
const SOURCE_CONDITION = "phasekit-source";

export const hooks = {
  // The platform packages of Node write `os` and `cpu` as plain strings, which pnpm leaves out of the lockfile;
  // every clone would then download a Node for a system it is not. As lists they are recorded and respected.
  readPackage(manifest) {
    if (typeof manifest.os === "string") manifest.os = [manifest.os];
    if (typeof manifest.cpu === "string") manifest.cpu = [manifest.cpu];
    return manifest;
  },
  // A published package has no sources, so neither its exports nor its own imports name them.
  // tooling/check-published.ts looks at the result.
  beforePacking({ imports: _, ...manifest }) {
    return { ...manifest, exports: withoutSources(manifest.exports) };
  },
};

function withoutSources(exports) {
  if (typeof exports !== "object" || exports === null) return exports;
  return Object.fromEntries(
    Object.entries(exports)
      .filter(([condition]) => condition !== SOURCE_CONDITION)
      .map(([key, target]) => [key, withoutSources(target)]),
  );
}
