import { useQuery } from '@tanstack/react-query';
import {
  getAudienceOptions,
  getSavedAudienceOptions,
  listNamedAudiencesOptions,
} from '#client/@tanstack/react-query.gen.ts';
import type { NamedAudience } from '#client/types.gen.ts';
import { useKeptError } from '../../api/kept-error.ts';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { AudienceDetail } from './audience-detail.tsx';
import { SavedDetail } from './saved/saved-detail.tsx';
import type { AudienceKind } from './search.ts';
import { SegmentDetail } from './segment-detail.tsx';

interface ShownAudienceProps {
  kind: AudienceKind;
  id: string;
  /** As the list has it; undefined where it is not in the page that is shown. */
  listed: NamedAudience | undefined;
  refusal: string | undefined;
  onGone: () => Promise<void>;
}

const lookEveryMs = 10_000;

/** Whatever is chosen in the list, with what depends on it. */
export function ShownAudience({ kind, ...shown }: ShownAudienceProps) {
  if (kind === 'segment') return <ShownSegment {...shown} />;
  return kind === 'saved' ? <ShownSaved {...shown} /> : <ShownList {...shown} />;
}

type ShownProps = Omit<ShownAudienceProps, 'kind'>;

function ShownList({ id, refusal, onGone }: ShownProps) {
  const list = useQuery({ ...getAudienceOptions({ path: { id } }), refetchInterval: lookEveryMs });
  const error = useKeptError(list);
  if (list.data) return <AudienceDetail audience={list.data} refusal={refusal} onGone={onGone} />;
  if (error === null) return null;
  return <Failed title="The list could not be read" error={error} onRetry={() => void list.refetch()} />;
}

function ShownSaved({ id, listed, onGone }: ShownProps) {
  const saved = useQuery(getSavedAudienceOptions({ path: { id } }));
  const error = useKeptError(saved);
  if (saved.data) return <SavedDetail saved={saved.data} size={listed?.size ?? null} onGone={onGone} />;
  if (error === null) return null;
  return <Failed title="The saved audience could not be read" error={error} onRetry={() => void saved.refetch()} />;
}

/** As many as a search may find: its id may be a part of others. */
const mostFound = 200;

function ShownSegment({ id, listed }: ShownProps) {
  const query = { q: id, kind: 'segment' as const, limit: mostFound };
  const found = useQuery({ ...listNamedAudiencesOptions({ query }), enabled: listed === undefined });
  const error = useKeptError(found);
  const segment = listed ?? found.data?.items.find((each) => each.id === id);
  if (segment) return <SegmentDetail segment={segment} />;
  if (error !== null)
    return <Failed title="The segment could not be read" error={error} onRetry={() => void found.refetch()} />;
  if (!found.data) return null;
  return (
    <section className="panel" aria-label="Segment">
      <Empty icon="users" title="No such segment">
        No campaign names “{id}”, and the segmentation service does not offer it.
      </Empty>
    </section>
  );
}
