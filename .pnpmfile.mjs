// The platform packages of Node write `os` and `cpu` as plain strings, which pnpm leaves out of the lockfile;
// every clone would then download a Node for a system it is not. As lists they are recorded and respected.
export const hooks = {
  readPackage(manifest) {
    if (typeof manifest.os === "string") manifest.os = [manifest.os];
    if (typeof manifest.cpu === "string") manifest.cpu = [manifest.cpu];
    return manifest;
  },
};
