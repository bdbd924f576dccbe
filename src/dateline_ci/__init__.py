"""Run dateline in the CI of GitHub and GitLab; standard library only."""
