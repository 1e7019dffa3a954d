import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import pLimit from 'p-limit';

/**
 * Loaded before a process's own code (`--import`), names are looked up as getaddrinfo would: four at once over all that
 * ask, each for as long as a name server is silent.
 */
const fourAtOnce = pLimit(4);
const patience = { timeout: 5000, tries: 2 };

class SharedResolver extends dns.Resolver {
  constructor() {
    super(patience);
    const [four, six] = [this.resolve4.bind(this), this.resolve6.bind(this)];
    const shared = {
      resolve4: (...requested: Parameters<typeof four>) => fourAtOnce(() => four(...requested)),
      resolve6: (...request: Parameters<typeof six>) => fourAtOnce(() => six(...request)),
    };
    Object.assign(this, shared);
  }
}

Object.assign(dns, { Resolver: SharedResolver });
syncBuiltinESMExports();
