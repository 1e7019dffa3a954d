import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listActionTypesOptions } from '#client/@tanstack/react-query.gen.ts';
import { Button } from '../controls/button.tsx';
import { PreviewDialog, type PreviewedStep } from './preview-dialog.tsx';

const typesChangeRarely = 60_000;

interface PreviewButtonProps extends PreviewedStep {
  /** Reason why the user may not preview messages. */
  refusal: string | undefined;
}

/** Opens the preview of a step. Renders nothing if the endpoint of its action offers none. */
export function PreviewButton({ refusal, ...step }: PreviewButtonProps) {
  const { data: types } = useQuery({ ...listActionTypesOptions(), staleTime: typesChangeRarely });
  const [isOpen, setOpen] = useState(false);
  const isOffered = types?.items.some(({ name, previewUrl }) => name === step.action && previewUrl !== undefined);
  if (isOffered !== true) return null;
  return (
    <>
      <Button small kind="ghost" refusal={refusal} onClick={() => setOpen(true)}>
        Preview…
      </Button>
      {isOpen && <PreviewDialog {...step} onClose={() => setOpen(false)} />}
    </>
  );
}
