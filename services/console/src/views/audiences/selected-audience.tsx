import { useQuery } from '@tanstack/react-query';
import { getAudienceOptions, listAudiencesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ListedAudience } from '#client/types.gen.ts';
import { useLastError } from '../../api/use-last-error.ts';
import { Empty, Failed } from '../../parts/standing/states.tsx';
import { UploadedListDetail } from './uploaded-list-detail.tsx';
import { SavedDetail } from './saved/saved-detail.tsx';
import type { AudienceKind } from './search.ts';
import { SegmentDetail } from './segment-detail.tsx';

interface SelectedAudienceProps {
  kind: AudienceKind;
  id: string;
  /** The audience from the list; undefined if it is not on the current page of the list. */
  listed: ListedAudience | undefined;
  refusal: string | undefined;
  onGone: () => Promise<void>;
  /** Function that is called with a file to upload; undefined if the user may not upload. */
  onFile: ((file: File) => void) | undefined;
}

const lookEveryMs = 10_000;

export function SelectedAudience({ kind, ...selected }: SelectedAudienceProps) {
  return kind === 'segment' ? <SelectedSegment {...selected} /> : <SelectedById kind={kind} {...selected} />;
}

type SelectedProps = Omit<SelectedAudienceProps, 'kind'>;

const titles = { list: 'The list could not be read', saved: 'The saved audience could not be read' } as const;

function SelectedById({ kind, id, listed, refusal, onGone, onFile }: SelectedProps & { kind: 'list' | 'saved' }) {
  const isList = kind === 'list';
  const found = useQuery({ ...getAudienceOptions({ path: { id } }), refetchInterval: isList && lookEveryMs });
  const { data: named } = useListed('saved', id, listed, !isList);
  const error = useLastError(found);
  if (found.data?.kind === 'list')
    return <UploadedListDetail audience={found.data} refusal={refusal} onGone={onGone} onFile={onFile} />;
  // The list's entry of the audience shows whether a count exists. The details wait for it, because otherwise they
  // would request an estimate.
  if (found.data && named !== undefined)
    return <SavedDetail saved={found.data} size={named?.size ?? null} onGone={onGone} onFile={onFile} />;
  if (error === null) return null;
  return <Failed title={titles[kind]} error={error} onRetry={() => void found.refetch()} />;
}

/**
 * Returns the audience from the list, or requests it. Data is undefined until the answer arrives, and null if there is
 * no such audience.
 */
function useListed(kind: 'saved' | 'segment', id: string, listed: ListedAudience | undefined, enabled = true) {
  const query = { id, kind, limit: 1 };
  const found = useQuery({ ...listAudiencesOptions({ query }), enabled: enabled && listed === undefined });
  const error = useLastError(found);
  const isKnown = found.data !== undefined || error !== null;
  const answer = found.data?.items.find((each) => each.id === id) ?? (isKnown ? null : undefined);
  return { data: listed ?? answer, error, retry: () => void found.refetch() };
}

function SelectedSegment({ id, listed }: SelectedProps) {
  const { data: segment, error, retry } = useListed('segment', id, listed);
  if (segment) return <SegmentDetail segment={segment} />;
  if (error !== null) return <Failed title="The segment could not be read" error={error} onRetry={retry} />;
  if (segment === undefined) return null;
  return (
    <section className="panel" aria-label="Segment">
      <Empty icon="users" title="No such segment">
        No campaign and no saved audience uses “{id}”, and the segmentation service does not list it.
      </Empty>
    </section>
  );
}
