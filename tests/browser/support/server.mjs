// A static file server: one folder, under a sub-path, on the loopback interface only.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';

export const SUB_PATH = '/some/sub/path/';

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
};

/** Serves `folder`; answers `{ url, close }`, `url` with the sub-path and a slash at its end. */
export async function serve(folder, subPath = SUB_PATH) {
  const root = path.resolve(folder);
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    const file = await find(root, pathname, subPath);
    if (!file) {
      response.writeHead(404, { 'content-type': TYPES['.html'] });
      response.end(await readFile(path.join(root, '404.html')));
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  // Nothing waits for a server that a test forgot.
  server.unref();
  return {
    url: `http://127.0.0.1:${server.address().port}${subPath}`,
    close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }),
  };
}

async function find(root, pathname, subPath) {
  if (!pathname.startsWith(subPath)) return null;
  let file = path.join(root, decodeURIComponent(pathname.slice(subPath.length)));
  if (file !== root && !file.startsWith(root + path.sep)) return null;
  const found = await stat(file).catch(() => null);
  if (found?.isDirectory()) file = path.join(file, 'index.html');
  return (await stat(file).catch(() => null))?.isFile() ? file : null;
}
