import { useRef, type MouseEvent } from 'react';

/**
 * A double click on something empty. The library tells where a click was, a moment later, and nothing of the second of two
 * fast ones; the browser tells that there were two.
 */
export function useDoubleClick<Place>(onDouble: (place: Place) => void) {
  const clicked = useRef<Place>(undefined);
  return {
    onClicked: (place: Place): void => {
      clicked.current = place;
    },
    handlers: {
      onMouseDown: ({ detail }: MouseEvent): void => {
        if (detail === 1) clicked.current = undefined;
      },
      onDoubleClick: (): void => {
        setTimeout(() => clicked.current !== undefined && onDouble(clicked.current));
      },
    },
  };
}
