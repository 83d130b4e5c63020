import { measureSizes } from "./measure-sizes.ts";

/** Compares what users import from the built packages with the budgets in size.json. */
for (const { package: name, imports, maxBytes, whole, bytes } of await measureSizes()) {
  const how = whole === true ? "with its dependencies, minified, gzipped" : "minified, gzipped";
  console.log(`${name}: ${bytes} of ${maxBytes} bytes (${imports.join(", ")}; ${how})`);
  if (bytes >= maxBytes) {
    console.error(`${name} is over its budget in tooling/size.json.`);
    process.exitCode = 1;
  }
}
