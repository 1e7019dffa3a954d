import type { Run } from '#client/types.gen.ts';
import { formatSentence } from '../../parts/words/figures.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import type { Explanation, Place } from './explanation.ts';

/** Explains why a user is not in the run: the sources that were searched, and the reason why the user was excluded. */
export function NotInRun({ explained, run }: { explained: Explanation; run: Run }) {
  const { audience, asOf } = explained;
  return (
    <Panel title="Why" padded>
      <dl className="kv">
        <dt>Searched sources</dt>
        <dd>{formatSentence(audience.detail)}</dd>
        <dt>Meaning</dt>
        <dd>{meanings[audience.place]}</dd>
        <dt>The run</dt>
        <dd>
          <StateBadge state={run.state} />
        </dd>
        <dt>As of</dt>
        <dd>
          <Time instant={asOf} withSeconds />
        </dd>
      </dl>
    </Panel>
  );
}

const meanings: Record<Place, string> = {
  member: '',
  unsendable: 'No call was made for this id, and none will be.',
  'not-fed-yet':
    'No call was made for this user so far. The audience is fed in the order of user ids, after a canary if there is one.',
  'never-fed': 'No call was made for this user. It was not checked whether the user is in the audience.',
  absent:
    'No call was made for this user. If the user should have been in the audience, check the segment or list and the exclusions.',
  'held-out':
    'No call was made for this user. Held-out users are chosen by their id and the seed of the campaign, so the same users are held out each time.',
  'not-kept': 'Users of old runs are deleted after some time. The figures of the report remain.',
};
