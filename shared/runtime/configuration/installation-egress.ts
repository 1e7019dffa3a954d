import { isIP } from 'node:net';
import { z } from 'zod';
import { egressRule, type EgressRule } from '../../contracts/jobs/endpoint-terms.ts';
import { readEnvironment } from './environment.ts';
import { anyPublic, type RuleList } from '../egress/address-guard.ts';

export const egressEnvironment = z.object({
  MUSTER_EGRESS_ALLOW: z
    .string()
    .transform((text, context) => {
      const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
      const wrong = entries.find((entry) => rulesOf(entry).length === 0);
      if (wrong === undefined) return entries.flatMap(rulesOf);
      context.addIssue(
        `has to be public, hosts and ranges, each with a port or without, separated by commas, such as ` +
          `public,*.svc.internal,10.20.0.0/16:8080,[fd00::/8]:8080: ${JSON.stringify(wrong)} is none of them`,
      );
      return z.NEVER;
    })
    .optional()
    .meta({
      description:
        'Addresses that this installation may call: [where calls may go](../configuration.md#where-calls-may-go)',
      usual: 'everywhere',
    }),
});

const anyAddress: readonly EgressRule[] = [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }];

/**
 * Reads the destinations that this installation may call: all unless `MUSTER_EGRESS_ALLOW` restricts them. Addresses
 * that no rule can open stay closed.
 * @throws {ConfigurationError}
 */
export function readInstallationEgress(environment: NodeJS.ProcessEnv): RuleList {
  const { MUSTER_EGRESS_ALLOW: rules = anyAddress } = readEnvironment(egressEnvironment, environment);
  return { of: 'MUSTER_EGRESS_ALLOW', rules };
}

/**
 * Parses an entry; returns no rules if it is invalid. A host opens every address that its name resolves to: the
 * operator of the installation names it.
 */
function rulesOf(entry: string): EgressRule[] {
  const {
    place = entry,
    bracketed = place,
    port,
  } = /^(?:\[(?<bracketed>[^\]]+)\]|(?<place>[^:[]+))(?::(?<port>\d+))?$/.exec(entry)?.groups ?? {};
  const rules = placesOf(bracketed).map((rule) => (port === undefined ? rule : { ...rule, port: Number(port) }));
  const isRule = (rule: EgressRule) => entry === 'public' || egressRule.safeParse(rule).success;
  return rules.every(isRule) ? rules : [];
}

function placesOf(text: string): EgressRule[] {
  if (text === 'public') return [anyPublic];
  const [network = '', bits] = text.split('/');
  const version = isIP(network);
  if (version === 0) return anyAddress.map((any) => ({ host: text, ...any }));
  return [{ cidr: `${network}/${bits ?? (version === 4 ? 32 : 128)}` }];
}
