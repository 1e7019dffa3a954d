import { getRouteApi } from '@tanstack/react-router';
import { Segments } from '../../parts/controls/controls.tsx';
import type { AudienceKind } from './search.ts';

const route = getRouteApi('/audiences');

const choices = [
  { value: 'lists', label: 'Uploaded lists' },
  { value: 'segments', label: 'Segments' },
  { value: 'saved', label: 'Saved' },
] as const;

/** What of all that audiences are made of is shown. */
export function KindChoice({ of }: { of: AudienceKind }) {
  const navigate = route.useNavigate();
  return (
    <Segments
      label="What is shown"
      value={of}
      choices={choices}
      onChoose={(chosen) => void navigate({ search: chosen === 'lists' ? {} : { of: chosen } })}
    />
  );
}
