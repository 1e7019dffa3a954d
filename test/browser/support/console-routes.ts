import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const views = join(import.meta.dirname, '../../../services/console/src/views');

/** Paths of the console's views, such as `/jobs/$jobId`, from their route files. The log-in is not among them. */
export function consoleRoutes(): string[] {
  const files = globSync('*/{,*-}route.ts', { cwd: views });
  const paths = files.map((file) => /^ {2}path: '(.+)',$/m.exec(readFileSync(join(views, file), 'utf8'))?.[1] ?? file);
  return paths.filter((path) => path !== '/log-in').toSorted();
}
