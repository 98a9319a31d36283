"""The rules of tilerace: boards, slides, draws and races as pure functions."""
