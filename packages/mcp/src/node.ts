export { serveHttp, type HttpOptions, type HttpServer } from "./node/serve-http.ts";
export { serveStdio, type StdioConnection, type StdioOptions } from "./node/serve-stdio.ts";
