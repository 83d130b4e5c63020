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
  beforePacking(manifest) {
    const { exports, imports, ...rest } = manifest;
    return { ...rest, ...defined({ exports: withoutSources(exports), imports: withoutSources(imports) }) };
  },
};

/** A target without its sources; undefined if nothing is left. */
function withoutSources(target) {
  if (typeof target === "string") return target.startsWith("./src/") ? undefined : target;
  if (target === undefined) return undefined;
  const published = Object.entries(target).filter(([condition]) => condition !== SOURCE_CONDITION);
  const left = defined(Object.fromEntries(published.map(([key, value]) => [key, withoutSources(value)])));
  return Object.keys(left).length === 0 ? undefined : left;
}

function defined(values) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
