import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import pLimit from 'p-limit';

/**
 * With this module loaded before a process's own code (`--import`), names are resolved as by getaddrinfo: at most four
 * at once in the process, each until the name server answers or the attempts end.
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
