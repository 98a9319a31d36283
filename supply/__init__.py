"""What tilerace is built on: locks, licences, known vulnerabilities, and secrets that must not be tracked."""
