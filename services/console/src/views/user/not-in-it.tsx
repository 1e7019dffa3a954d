import type { Run } from '#client/types.gen.ts';
import { sentence } from '../../parts/words/figures.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import type { Explanation, Place } from './explanation.ts';

/** Explanation for a user who is not in the run: the searched sources, and the reason for the exclusion. */
export function NotInIt({ explained, run }: { explained: Explanation; run: Run }) {
  const { audience, asOf } = explained;
  return (
    <Panel title="Why" padded>
      <dl className="kv">
        <dt>Where it was looked for</dt>
        <dd>{sentence(audience.detail)}</dd>
        <dt>What that means</dt>
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
  unsendable: 'No call was made for this id, and none ever will be.',
  'not-fed-yet': 'It may still come: the audience is fed in the order of the ids, and the run has not come that far.',
  'never-fed': 'Nobody was called for it. Whether it would have been in the audience, nobody has asked.',
  absent:
    'No call was made for it. Where it should have been in the audience, look at the segment or list, and at what is excluded.',
  'held-out':
    'No call was made for it. Held-out users are chosen by their id and the seed of the campaign, so the same ones are held out each time.',
  'not-kept': 'Users of old runs are dropped after a while. The figures of the report stay.',
};
