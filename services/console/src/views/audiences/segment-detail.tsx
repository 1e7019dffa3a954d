import type { ListedAudience } from '#client/types.gen.ts';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { ExactCountLine } from '../../parts/audience/exact-count.tsx';
import { Overlap } from '../../parts/audience/overlap.tsx';
import { useExactCount } from '../../parts/audience/use-exact-count.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { plainText } from '../../parts/words/plain-text.ts';
import { AudienceActions } from './detail/audience-actions.tsx';
import { KnownSize } from './detail/known-size.tsx';
import { sideBySideClasses, UsedBy } from './detail/used-by.tsx';

export function SegmentDetail({ segment }: { segment: ListedAudience }) {
  const { id, name, description, size } = segment;
  const { installation } = useSession();
  const refusal = useRefusal('manager');
  const count = useExactCount(size?.countId ?? null);
  const countries = segment.countries ?? installation.countries ?? [];
  const question = { countries, audience: { include: [{ segment: id }] } };
  const missing = countries.length === 0 ? 'The countries of the segment are unknown' : undefined;
  return (
    <div className="grid gap-4 min-w-0">
      <Panel
        title={plainText(name)}
        actions={<AudienceActions name={plainText(name)} newCampaignSearch={{ segment: id }} refusal={refusal} />}
        padded
      >
        <ExactCountLine
          count={count}
          question={question}
          refusal={refusal}
          missing={missing}
          isLarge
          isSummed
          estimate={
            size === null ? (
              <span className="t2">Number of users unknown</span>
            ) : (
              <KnownSize size={size} countries={segment.countries} />
            )
          }
        />
        {description !== null && <p className="mt-1.5 wrap-anywhere">{plainText(description)}</p>}
        <div className="sm t3 row flex-wrap mt-1">
          <span>segment{segment.countries !== null && ` · ${segment.countries.join(', ')}`}</span>
          <CopyableId id={id} what="id of the segment" />
        </div>
      </Panel>
      <div className={sideBySideClasses}>
        <UsedBy
          reference={{ segment: id }}
          uses={segment}
          emptyText="No campaign and no saved audience uses it."
          footer="It belongs to the segmentation service. Each run reads its current users."
        />
        <Panel title="Overlap" padded>
          <Overlap question={question} refusal={refusal} missing={missing} />
        </Panel>
      </div>
    </div>
  );
}
