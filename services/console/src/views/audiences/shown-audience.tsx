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
  /** The audience from the list; undefined if it is not on the current page of the list. */
  listed: NamedAudience | undefined;
  refusal: string | undefined;
  onGone: () => Promise<void>;
  /** Called with a file to upload; undefined if the user may not upload. */
  onFile: ((file: File) => void) | undefined;
}

const lookEveryMs = 10_000;

export function ShownAudience({ kind, ...shown }: ShownAudienceProps) {
  if (kind === 'segment') return <ShownSegment {...shown} />;
  return kind === 'saved' ? <ShownSaved {...shown} /> : <ShownList {...shown} />;
}

type ShownProps = Omit<ShownAudienceProps, 'kind'>;

function ShownList({ id, refusal, onGone, onFile }: ShownProps) {
  const list = useQuery({ ...getAudienceOptions({ path: { id } }), refetchInterval: lookEveryMs });
  const error = useKeptError(list);
  if (list.data) return <AudienceDetail audience={list.data} {...{ refusal, onGone, onFile }} />;
  if (error === null) return null;
  return <Failed title="The list could not be read" error={error} onRetry={() => void list.refetch()} />;
}

function ShownSaved({ id, listed, onGone, onFile }: ShownProps) {
  const saved = useQuery(getSavedAudienceOptions({ path: { id } }));
  const { data: named } = useNamed('saved', id, listed);
  const error = useKeptError(saved);
  // The named audience shows whether a count exists: wait for it before an estimate is requested.
  if (saved.data && named !== undefined)
    return <SavedDetail saved={saved.data} size={named?.size ?? null} {...{ onGone, onFile }} />;
  if (error === null) return null;
  return <Failed title="The saved audience could not be read" error={error} onRetry={() => void saved.refetch()} />;
}

/** Returns the audience from the list, else requests it. Data is null if there is none, undefined before. */
function useNamed(kind: 'saved' | 'segment', id: string, listed: NamedAudience | undefined) {
  const query = { id, kind, limit: 1 };
  const found = useQuery({ ...listNamedAudiencesOptions({ query }), enabled: listed === undefined });
  const error = useKeptError(found);
  const isKnown = found.data !== undefined || error !== null;
  const answer = found.data?.items.find((each) => each.id === id) ?? (isKnown ? null : undefined);
  return { data: listed ?? answer, error, retry: () => void found.refetch() };
}

function ShownSegment({ id, listed }: ShownProps) {
  const { data: segment, error, retry } = useNamed('segment', id, listed);
  if (segment) return <SegmentDetail segment={segment} />;
  if (error !== null) return <Failed title="The segment could not be read" error={error} onRetry={retry} />;
  if (segment === undefined) return null;
  return (
    <section className="panel" aria-label="Segment">
      <Empty icon="users" title="No such segment">
        Neither a campaign nor a saved audience names “{id}”, and the segmentation service does not offer it.
      </Empty>
    </section>
  );
}
