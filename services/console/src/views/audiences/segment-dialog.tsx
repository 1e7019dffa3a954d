import { Link } from '@tanstack/react-router';
import type { Segment } from '#client/types.gen.ts';
import { useRefusal, useSession } from '../../frame/session/session.ts';
import { ExactCountLine } from '../../parts/audience/exact-count.tsx';
import { Overlap } from '../../parts/audience/overlap.tsx';
import { segmentSize, segmentUse } from '../../parts/audience/segment-words.ts';
import { useExactCount } from '../../parts/audience/use-exact-count.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { plainText } from '../../parts/words/plain-text.ts';

/** One segment: how many are in it, exactly where one asks, and how many of them are elsewhere too. */
export function SegmentDialog({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  const { id, name, description } = segment;
  const { installation } = useSession();
  const refusal = useRefusal('manager');
  const count = useExactCount();
  const countries = segment.countries ?? installation.countries ?? [];
  const question = { countries, audience: { include: [{ segment: id }] } };
  const missing = countries.length === 0 ? 'It does not say in which countries it has users' : undefined;
  return (
    <Dialog
      title={plainText(name)}
      lead={[...(name === id ? [] : [id]), ...(description === null ? [] : [description])].map(plainText).join(' · ')}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
          {refusal === undefined && (
            <Link className="btn ink" to="/campaigns/new" search={{ segment: id }}>
              Use it…
            </Link>
          )}
        </>
      }
    >
      <ExactCountLine
        {...{ count, question, refusal, missing }}
        estimate={
          <span className="t2">
            {segmentSize(segment)}, {segmentUse(segment)}
          </span>
        }
      />
      <div className="border-t border-line pt-2.5">
        <h3 className="sm font-medium">Overlap</h3>
        <p className="t3 sm">How many of them are in another source too</p>
        <Overlap {...{ question, refusal, missing }} />
      </div>
    </Dialog>
  );
}
