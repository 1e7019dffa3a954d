import { listChanges } from '../../sdk/generated/sdk.gen.ts';
import { detailText } from '../show/details.ts';
import { command } from '../frame/command-table.ts';
import type { Heading } from '../frame/headings.ts';
import { oneOf, pages, text, whole } from '../frame/options.ts';
import { cut, left, right, tableOf } from '../show/tables.ts';
import { utcSecond } from '../show/times.ts';
import { anchor } from './anchor.ts';
import { verify } from './verify.ts';
import type { ListChangesResponses } from '../../sdk/generated/types.gen.ts';

type Change = ListChangesResponses[200]['items'][number];

const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'] as const;

export const heading: Heading = 'Access';

export const commands = command({
  name: 'audit',
  description: 'changes through the API, newest first',
  commands: [verify, anchor],
  options: {
    number: whole('--number <number>', 'only this entry'),
    subject: text('--subject <id>', 'only changes of this: run_…, cmp_…, a name'),
    keyId: text('--key-id <key>', 'only changes by this key: key_…'),
    method: oneOf('--method <method>', 'POST, PUT, PATCH, DELETE, or GET for exports', methods),
    route: text('--route <route>', 'such as /v1/runs/:id/pause'),
    since: text('--since <time>', 'RFC 3339; this moment included'),
    until: text('--until <time>', 'RFC 3339; this moment excluded'),
    ...pages(50, 1000),
  },
  ask: ({ client, options: query }) => listChanges({ client, query }),
  render: tableOf<Change>('no changes', [
    left('when', ({ at }) => utcSecond(at)),
    cut('who', ({ keyName, keyId }) => keyName ?? keyId ?? ''),
    left('what', ({ summary }) => summary),
    cut('on', ({ subject }) => subject ?? ''),
    right('status', ({ status }) => String(status), { tone: ({ status }) => (status < 300 ? undefined : 'bad') }),
    cut('detail', ({ detail }) => detailText(detail)),
  ]),
});
