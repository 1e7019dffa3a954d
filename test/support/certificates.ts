import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Pair {
  certificate: string;
  key: string;
}

/** Returns a self-signed certificate for a name or an IP address, and its key; both PEM. */
export async function certificateFor(name: string): Promise<Pair> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-certificate-'));
  try {
    const kind = /^[\d.]+$/.test(name) ? 'IP' : 'DNS';
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${kind}:${name}`];
    const files = ['-keyout', join(folder, 'key'), '-out', join(folder, 'certificate')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    await run('openssl', ['req', '-x509', ...curve, '-nodes', '-days', '2', ...subject, ...files]);
    const [certificate, key] = await Promise.all(
      ['certificate', 'key'].map((file) => readFile(join(folder, file), 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '' };
  } finally {
    await rm(folder, { recursive: true });
  }
}
