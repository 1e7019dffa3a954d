import { cpus } from 'node:os';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresFolder, figuresTable, readFigures } from './figures.ts';

/** Begins with no figures; prints the table of those that the run published. */
export default function setup(): () => void {
  rmSync(figuresFolder, { recursive: true, force: true });
  return () => {
    const figures = readFigures();
    if (figures.length === 0) return;
    const hardware = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
    const page = `# Faults\n\n${hardware}. Again: \`npm run test:faults\`.\n\n${figuresTable(figures)}\n`;
    writeFileSync(join(figuresFolder, 'figures.md'), page);
    writeFileSync(join(figuresFolder, 'figures.json'), `${JSON.stringify({ hardware, figures }, null, 2)}\n`);
    process.stderr.write(`\n${page}\n`);
  };
}
