"""Running races of tilerace: one commit a change, answered over the Link."""
