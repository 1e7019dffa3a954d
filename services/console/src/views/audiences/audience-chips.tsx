import type { AudienceCounts } from '#client/types.gen.ts';
import { Chips } from '../../parts/lists/chips.tsx';
import { audienceChoices, audienceKinds, type AudiencesSearch } from './search.ts';

interface AudienceChipsProps {
  counts: AudienceCounts | undefined;
  search: AudiencesSearch;
  onChoose: (chosen: Pick<AudiencesSearch, 'kind' | 'show'>) => void;
}

export function AudienceChips({ counts, search: { kind, show }, onChoose }: AudienceChipsProps) {
  const failed = counts?.failed ?? 0;
  return (
    <Chips
      label="Filter by kind"
      chosen={show ?? kind ?? 'all'}
      chips={[
        { value: 'all', label: 'All', count: counts?.all ?? undefined },
        { value: 'saved', label: 'Saved', count: counts?.saved },
        { value: 'segment', label: 'Segments', count: counts?.segments ?? undefined },
        { value: 'list', label: 'Uploaded lists', count: counts?.lists },
        { value: 'bad-lines', label: 'With rejected lines', count: counts?.withRejects, warns: true },
        { value: 'not-used', label: 'Not used', count: counts?.notUsed },
        ...(failed > 0 || show === 'failed' ? [{ value: 'failed' as const, label: 'Failed', count: failed }] : []),
      ]}
      onChoose={(value) =>
        onChoose({
          kind: audienceKinds.find((each) => each === value),
          show: audienceChoices.find((each) => each === value),
        })
      }
    />
  );
}
