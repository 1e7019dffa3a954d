import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

/**
 * With this module preloaded (`--import`) into a process, its resolvers ask the name server `OWN_NAME_SERVER` (address
 * and port).
 */
const { OWN_NAME_SERVER: server = '' } = process.env;

class OwnResolver extends dns.Resolver {
  constructor(...terms: ConstructorParameters<typeof dns.Resolver>) {
    super(...terms);
    this.setServers([server]);
  }
}

Object.assign(dns, { Resolver: OwnResolver });
syncBuiltinESMExports();
