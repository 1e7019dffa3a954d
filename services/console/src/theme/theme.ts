import { createTheme, Menu, Modal, Tooltip } from '@mantine/core';

/** Sizes and habits of Mantine's components; their colours come from `mantine.css`. */
export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  focusRing: 'auto',
  respectReducedMotion: true,
  components: {
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', position: 'bottom-end', transitionProps: { duration: 0 } } }),
    Modal: Modal.extend({ defaultProps: { transitionProps: { duration: 0 } } }),
  },
});
